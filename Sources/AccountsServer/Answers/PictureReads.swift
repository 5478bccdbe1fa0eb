internal import HTTPFront
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The pictures that are being sent, each of which is in memory once, however many clients read it slowly.
final class PictureReads: Sendable {
    /// A picture in memory.
    struct Picture: Sendable {
        let type: String
        let bytes: ByteBuffer
    }

    /// A client that reads a picture, for as long as this object exists.
    private final class Reader: Sendable {
        private let id: String
        private let user: Int
        private let reads: PictureReads

        init(_ id: String, _ user: Int, _ reads: PictureReads) {
            (self.id, self.user, self.reads) = (id, user, reads)
        }

        deinit { reads.end(id, of: user) }
    }

    private struct Entry {
        var readers = 0
        var picture: Picture?
    }

    /// The maximum number of different pictures.
    static let most = 32
    /// The maximum number of reads of one user at the same time; browsers have six connections to a server.
    static let mostOfUser = 12

    private struct State {
        var entries: [String: Entry] = [:]
        var users: [Int: Int] = [:]
    }

    private let state = Mutex(State())

    init() {}

    /// The number of different pictures.
    var count: Int { state.withLock { $0.entries.count } }

    /// Makes the answer with a picture, which is loaded unless it is being sent already.
    ///
    /// - Throws: `AccountRefusal`, or what `load` throws.
    func response(_ id: String, for user: Int, load: () async throws -> Picture?) async throws -> Response {
        let reader = try begin(id, user)
        var picture = state.withLock { $0.entries[id]?.picture }
        if picture == nil { picture = try await load().map { keep($0, id) } }
        guard let picture else { throw AccountRefusal.notFound("there is no such picture") }
        let body = ResponseBody(contentLength: picture.bytes.readableBytes) { writer in
            try await writer.write(picture.bytes)
            try await writer.finish(nil)
            withExtendedLifetime(reader) {}
        }
        return Response(.ok, body: body, type: picture.type)
    }

    private func begin(_ id: String, _ user: Int) throws(AccountRefusal) -> Reader {
        let isFull = state.withLock { state in
            let isNew = state.entries[id] == nil
            guard state.users[user, default: 0] < Self.mostOfUser, !isNew || state.entries.count < Self.most
            else {
                return true
            }
            state.users[user, default: 0] += 1
            state.entries[id, default: Entry()].readers += 1
            return false
        }
        guard !isFull else { throw .unavailable("too many pictures are read at once") }
        return Reader(id, user, self)
    }

    /// Keeps a picture for those who read it; returns the one that was kept first.
    private func keep(_ picture: Picture, _ id: String) -> Picture {
        state.withLock { state in
            if let kept = state.entries[id]?.picture { return kept }
            state.entries[id]?.picture = picture
            return picture
        }
    }

    private func end(_ id: String, of user: Int) {
        // What is removed is released after the lock.
        _ = state.withLock { state -> Entry? in
            let reads = state.users[user, default: 1] - 1
            state.users[user] = reads > 0 ? reads : nil
            guard let readers = state.entries[id]?.readers, readers > 1 else {
                return state.entries.removeValue(forKey: id)
            }
            state.entries[id]?.readers = readers - 1
            return nil
        }
    }
}
