package import Hummingbird
package import NIOCore
internal import Synchronization

/// A limited number of places, that is, slots for the concurrent transfers of a service.
///
/// When all are taken, the slowest transfer of the holder with the most places is ended, and a newcomer gets its place.
/// A few slow holders therefore cannot keep others out.
package final class TransferPlaces<Holder: Hashable & Sendable>: Sendable {
    fileprivate typealias Table = PlaceTable<Holder>

    /// A place for a transfer, which is freed when this object is deinitialized.
    package final class Place: Sendable {
        private let id: Table.ID
        private let places: TransferPlaces

        fileprivate init(_ id: Table.ID, _ places: TransferPlaces) { (self.id, self.places) = (id, places) }

        deinit { places.free(id) }

        /// Counts bytes that were transferred.
        package func note(_ bytes: Int) { places.note(bytes, of: id) }

        /// Returns a body whose bytes are counted while it is read.
        package func counting(_ body: RequestBody) -> RequestBody {
            RequestBody(
                asyncSequence: body.map { [self] part in
                    note(part.readableBytes)
                    return part
                }
            )
        }

        /// Returns a body whose bytes are counted while it is sent; the place stays taken until the body has been sent.
        package func counting(_ body: ResponseBody) -> ResponseBody {
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
        var table: Table
        /// The closures that end the transfers.
        var ends: [Table.ID: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// Creates `most` free places, of which one holder may take at most `mostOfHolder`.
    package init(most: Int, mostOfHolder: Int) {
        state = Mutex(State(table: Table(most: most, mostOfHolder: mostOfHolder)))
    }

    /// Takes a place; `end` is called to end the transfer if another holder gets the place.
    ///
    /// - Returns: The place; nil if the holder has the maximum already, or if all places are taken and none can be
    ///   freed.
    package func take(
        for holder: Holder,
        at time: NIODeadline = .now(),
        end: @escaping @Sendable () -> Void
    ) -> Place? {
        let taken = state.withLock { state -> (id: Table.ID, end: (@Sendable () -> Void)?)? in
            guard let taken = state.table.take(for: holder, at: time) else { return nil }
            state.ends[taken.id] = end
            return (taken.id, taken.freed.flatMap { state.ends.removeValue(forKey: $0) })
        }
        guard let taken else { return nil }
        taken.end?()
        return Place(taken.id, self)
    }

    private func note(_ bytes: Int, of id: Table.ID) { state.withLock { $0.table.note(bytes, of: id) } }

    private func free(_ id: Table.ID) {
        // The removed closure is deinitialized after the lock is released.
        _ = state.withLock { state in
            state.table.free(id)
            return state.ends.removeValue(forKey: id)
        }
    }
}
