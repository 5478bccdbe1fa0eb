package import NIOCore

/// A table of a limited number of places, that is, slots for concurrent requests or transfers; one holder may take
/// several.
///
/// When all are taken, a newcomer gets the place of the slowest transfer of the holder with the most places, so that a
/// few holders cannot keep others out. That holder must have more places than the newcomer, and at least two more if
/// the transfer is not slow.
package struct PlaceTable<Holder: Hashable & Sendable>: Sendable {
    package struct ID: Hashable, Sendable { fileprivate let number: Int }

    private struct Place {
        let holder: Holder
        let start: NIODeadline
        var bytes = 0

        /// The number of bytes by which the transfer is ahead of one at the expected rate; negative if it is slow.
        func lead(at time: NIODeadline) -> Int {
            let milliseconds = Int((time - start - PlaceTable.grace).nanoseconds / 1_000_000)
            return bytes - max(0, milliseconds) * PlaceTable.expectedRate / 1000
        }
    }

    /// The minimum rate expected of a legitimate transfer, in bytes per second.
    private static var expectedRate: Int { 20_000 }
    /// The time after its start during which a transfer never counts as slow.
    private static var grace: TimeAmount { .seconds(5) }

    private let most: Int
    private let mostOfHolder: Int
    private var places: [ID: Place] = [:]
    private var lastNumber = 0

    /// Creates a table of `most` free places, of which one holder may take at most `mostOfHolder`.
    package init(most: Int, mostOfHolder: Int = .max) {
        (self.most, self.mostOfHolder) = (most, mostOfHolder)
    }

    /// The number of taken places.
    package var count: Int { places.count }

    /// Takes a place.
    ///
    /// - Parameters:
    ///   - holder: The holder, who may already have places.
    ///   - time: The current time.
    ///   - mayEnd: Determines whether a place can be taken from its holder.
    /// - Returns: The place, and the one that was freed for it, whose transfer the caller must end; nil if the holder
    ///   has the maximum already, or if all places are taken and none can be freed.
    package mutating func take(
        for holder: Holder,
        at time: NIODeadline,
        mayEnd: (ID) -> Bool = { _ in true }
    ) -> (id: ID, freed: ID?)? {
        let own = places.values.count { $0.holder == holder }
        guard own < mostOfHolder else { return nil }
        var freed: ID?
        if places.count >= most {
            guard let slowest = slowest(ofMoreThan: own, at: time, mayEnd) else { return nil }
            places[slowest] = nil
            freed = slowest
        }
        lastNumber += 1
        let id = ID(number: lastNumber)
        places[id] = Place(holder: holder, start: time)
        return (id, freed)
    }

    /// Finds the transfer to end for a newcomer with `own` places: the slowest one of the holder with the most places.
    private func slowest(ofMoreThan own: Int, at time: NIODeadline, _ mayEnd: (ID) -> Bool) -> ID? {
        let counts = places.values.reduce(into: [:]) { $0[$1.holder, default: 0] += 1 }
        var found: (id: ID, count: Int, lead: Int)?
        for (id, place) in places {
            let (count, lead) = (counts[place.holder, default: 0], place.lead(at: time))
            guard count > own + 1 || count > own && lead < 0, mayEnd(id) else { continue }
            // If several are equally slow, the oldest ends.
            let isWorse =
                found.map { (-count, lead, id.number) < (-$0.count, $0.lead, $0.id.number) } ?? true
            if isWorse { found = (id, count, lead) }
        }
        return found?.id
    }

    /// Counts bytes that were transferred.
    package mutating func note(_ bytes: Int, of id: ID) { places[id]?.bytes += bytes }

    /// Frees a place, unless it was taken from its holder before.
    package mutating func free(_ id: ID) { places[id] = nil }
}
