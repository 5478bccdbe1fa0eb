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
        private let reads: PictureReads

        init(_ id: String, _ reads: PictureReads) { (self.id, self.reads) = (id, reads) }

        deinit { reads.end(id) }
    }

    private struct Entry {
        var readers = 0
        var picture: Picture?
    }

    /// The maximum number of different pictures.
    static let most = 32

    private let entries = Mutex<[String: Entry]>([:])

    init() {}

    /// The number of different pictures.
    var count: Int { entries.withLock { $0.count } }

    /// Makes the answer with a picture, which is loaded unless it is being sent already.
    ///
    /// - Throws: `AccountRefusal`, or what `load` throws.
    func response(_ id: String, load: () async throws -> Picture?) async throws -> Response {
        let reader = try begin(id)
        var picture = entries.withLock { $0[id]?.picture }
        if picture == nil { picture = try await load().map { keep($0, id) } }
        guard let picture else { throw AccountRefusal.notFound("there is no such picture") }
        let body = ResponseBody(contentLength: picture.bytes.readableBytes) { writer in
            try await writer.write(picture.bytes)
            try await writer.finish(nil)
            withExtendedLifetime(reader) {}
        }
        return Response(.ok, body: body, type: picture.type)
    }

    private func begin(_ id: String) throws(AccountRefusal) -> Reader {
        let isFull = entries.withLock { entries in
            guard entries[id] != nil || entries.count < Self.most else { return true }
            entries[id, default: Entry()].readers += 1
            return false
        }
        guard !isFull else { throw .unavailable("too many pictures are read at once") }
        return Reader(id, self)
    }

    /// Keeps a picture for those who read it; returns the one that was kept first.
    private func keep(_ picture: Picture, _ id: String) -> Picture {
        entries.withLock { entries in
            if let kept = entries[id]?.picture { return kept }
            entries[id]?.picture = picture
            return picture
        }
    }

    private func end(_ id: String) {
        // What is removed is released after the lock.
        _ = entries.withLock { entries -> Entry? in
            guard let readers = entries[id]?.readers, readers > 1 else {
                return entries.removeValue(forKey: id)
            }
            entries[id]?.readers = readers - 1
            return nil
        }
    }
}
