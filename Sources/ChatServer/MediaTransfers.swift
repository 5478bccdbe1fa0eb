internal import HTTPFront
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// The files that are being sent to the server or from it, which leave room for other requests.
///
/// When there are too many, the slowest of the person with the most ends, so that a few people do not keep others out.
final class MediaTransfers: Sendable {
    fileprivate typealias Places = PlaceTable<Int>

    /// A place for a file, which is free again when this object is gone.
    final class Transfer: Sendable {
        private let place: Places.ID
        private let transfers: MediaTransfers

        fileprivate init(_ place: Places.ID, _ transfers: MediaTransfers) {
            (self.place, self.transfers) = (place, transfers)
        }

        deinit { transfers.end(place) }

        /// Counts bytes that were transferred.
        func note(_ bytes: Int) { transfers.note(bytes, of: place) }

        /// Returns a body whose bytes are counted while it is sent; the place is taken until then.
        func counting(_ body: ResponseBody) -> ResponseBody {
            ResponseBody(contentLength: body.contentLength) { [self] writer in
                let counted = body.map { part in
                    self.note(part.readableBytes)
                    return part
                }
                try await counted.write(writer)
                extendLifetime(self)
            }
        }
    }

    private struct State {
        var places = Places(most: MediaTransfers.most, mostOfHolder: MediaTransfers.mostOfPerson)
        /// The closures that end the requests.
        var ends: [Places.ID: @Sendable () -> Void] = [:]
    }

    static let most = 32
    /// The maximum number of one person; browsers have six connections to a server.
    static let mostOfPerson = 8

    private let state = Mutex(State())

    init() {}

    /// Takes a place for a file; `end` ends its request for the sake of others.
    ///
    /// - Throws: `ChatRefusal` if there is none.
    func begin(
        of person: Int,
        at time: NIODeadline = .now(),
        end: @escaping @Sendable () -> Void = {}
    ) throws(ChatRefusal) -> Transfer {
        let taken = state.withLock { state -> (place: Places.ID, end: (@Sendable () -> Void)?)? in
            guard let taken = state.places.take(for: person, at: time) else { return nil }
            state.ends[taken.id] = end
            return (taken.id, taken.freed.flatMap { state.ends.removeValue(forKey: $0) })
        }
        guard let taken else { throw ChatRefusal(.serviceUnavailable, "too many files are sent at once") }
        taken.end?()
        return Transfer(taken.place, self)
    }

    private func note(_ bytes: Int, of place: Places.ID) {
        state.withLock { $0.places.note(bytes, of: place) }
    }

    private func end(_ place: Places.ID) {
        // What is removed is released after the lock.
        _ = state.withLock { state in
            state.places.free(place)
            return state.ends.removeValue(forKey: place)
        }
    }
}
