package import Hummingbird
package import NIOCore
internal import Synchronization

/// The places for transfers of a service, which a few slow holders cannot keep from others.
///
/// When all are taken, the slowest transfer of the holder with the most ends for a newcomer.
package final class TransferPlaces<Holder: Hashable & Sendable>: Sendable {
    fileprivate typealias Table = PlaceTable<Holder>

    /// A place for a transfer, which is free again when this object is gone.
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

        /// Returns a body whose bytes are counted while it is sent; the place is taken until then.
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

    /// Creates places of which none is taken.
    package init(most: Int, mostOfHolder: Int) {
        state = Mutex(State(table: Table(most: most, mostOfHolder: mostOfHolder)))
    }

    /// Takes a place; `end` ends the transfer for the sake of others.
    ///
    /// - Returns: The place; nil if there is none.
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
        // What is removed is released after the lock.
        _ = state.withLock { state in
            state.table.free(id)
            return state.ends.removeValue(forKey: id)
        }
    }
}
