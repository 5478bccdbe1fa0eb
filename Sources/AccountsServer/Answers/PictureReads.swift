internal import HTTPFront
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The pictures that are being sent; each is in memory once, even if many clients read it slowly.
///
/// If there are too many, the slowest picture of the user with the most pictures is no longer sent, so that a few users
/// cannot block others.
final class PictureReads: Sendable {
    fileprivate typealias Places = PlaceTable<Int>

    /// A picture in memory.
    struct Picture: Sendable {
        let type: String
        let bytes: ByteBuffer
    }

    /// A client that reads a picture; the read ends when this object is released.
    private final class Reader: Sendable {
        let id: String
        let user: Int
        let place: Places.ID
        let number: Int
        private let reads: PictureReads

        init(_ id: String, _ user: Int, _ place: Places.ID, number: Int, _ reads: PictureReads) {
            (self.id, self.user, self.place, self.number) = (id, user, place, number)
            self.reads = reads
        }

        deinit { reads.end(id, of: user, place, number: number) }
    }

    private struct Entry {
        /// The ID of the place, which is held by the user who first requested the picture.
        let place: Places.ID
        var picture: Picture?
        /// The closures that end the requests of the readers.
        var ends: [Int: @Sendable () -> Void] = [:]
    }

    /// The maximum number of different pictures in memory.
    static let most = 32
    /// The maximum number of simultaneous reads by one user; browsers open six connections to a server.
    static let mostOfUser = 12
    /// The maximum length in bytes of the parts in which a picture is sent.
    private static let partLength = 65_536

    private struct State {
        var entries: [String: Entry] = [:]
        var users: [Int: Int] = [:]
        var places = Places(most: PictureReads.most)
        var lastNumber = 0
    }

    private let state = Mutex(State())

    init() {}

    /// The number of different pictures in memory.
    var count: Int { state.withLock { $0.entries.count } }

    /// Creates the response with a picture, which is loaded unless it is already in memory.
    ///
    /// `end` is called to end the request if the picture is no longer sent, so that another user can read a picture.
    ///
    /// - Throws: `AccountRefusal`, or an error of `load`.
    func response(
        _ id: String,
        for user: Int,
        at time: NIODeadline = .now(),
        end: @escaping @Sendable () -> Void = {},
        load: () async throws -> Picture?
    ) async throws -> Response {
        let reader = try begin(id, user, at: time, end)
        var picture = state.withLock { $0.entries[id]?.picture }
        if picture == nil { picture = try await load().map { keep($0, of: reader) } }
        guard let picture else { throw AccountRefusal.notFound("there is no such picture") }
        let body = ResponseBody(contentLength: picture.bytes.readableBytes) { [self] writer in
            var rest = picture.bytes
            while let part = rest.readSlice(length: min(rest.readableBytes, Self.partLength)),
                part.readableBytes > 0
            {
                try await writer.write(part)
                note(part.readableBytes, of: reader)
            }
            try await writer.finish(nil)
            extendLifetime(reader)
        }
        return Response(.ok, body: body, type: picture.type)
    }

    private func begin(
        _ id: String,
        _ user: Int,
        at time: NIODeadline,
        _ end: @escaping @Sendable () -> Void
    ) throws(AccountRefusal) -> Reader {
        let begun = state.withLock { state -> (place: Places.ID, number: Int, freed: Entry?)? in
            guard state.users[user, default: 0] < Self.mostOfUser else { return nil }
            var entry: Entry
            var freed: Entry?
            if let known = state.entries[id] {
                entry = known
            } else {
                guard let taken = state.places.take(for: user, at: time) else { return nil }
                let other = state.entries.first { $0.value.place == taken.freed }?.key
                freed = other.flatMap { state.entries.removeValue(forKey: $0) }
                entry = Entry(place: taken.id)
            }
            state.users[user, default: 0] += 1
            state.lastNumber += 1
            entry.ends[state.lastNumber] = end
            state.entries[id] = entry
            return (entry.place, state.lastNumber, freed)
        }
        guard let begun else { throw .unavailable("too many pictures are being read at once") }
        for end in begun.freed?.ends.values ?? [:].values { end() }
        return Reader(id, user, begun.place, number: begun.number, self)
    }

    /// Shares a loaded picture with the other readers of the same ID; returns the picture that was stored first.
    private func keep(_ picture: Picture, of reader: Reader) -> Picture {
        state.withLock { state in
            guard let entry = state.entries[reader.id], entry.place == reader.place else { return picture }
            if let kept = entry.picture { return kept }
            state.entries[reader.id]?.picture = picture
            return picture
        }
    }

    private func note(_ bytes: Int, of reader: Reader) {
        state.withLock { $0.places.note(bytes, of: reader.place) }
    }

    private func end(_ id: String, of user: Int, _ place: Places.ID, number: Int) {
        // The removed entry is deinitialized after the lock is released.
        _ = state.withLock { state -> Entry? in
            let reads = state.users[user, default: 1] - 1
            state.users[user] = reads > 0 ? reads : nil
            guard var entry = state.entries[id], entry.place == place else { return nil }
            entry.ends[number] = nil
            guard entry.ends.isEmpty else {
                state.entries[id] = entry
                return nil
            }
            state.places.free(place)
            return state.entries.removeValue(forKey: id)
        }
    }
}
