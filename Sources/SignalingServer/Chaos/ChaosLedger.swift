internal import CallCore

/// The counts of each room's events by sender role and kind, from which each event's random numbers are
/// derived.
///
/// The faults of an event therefore depend neither on the time nor on other rooms, as long as there are fewer
/// than `maximumCount` counts.
struct ChaosLedger {
    static let maximumCount = 16_384

    private struct Line: Hashable {
        let room: RoomID
        let role: Role
        let event: ChaosEvent?
    }

    private let seed: UInt64
    private var counts: [Line: UInt64] = [:]
    /// The number of times that the counts were discarded because there were too many.
    private var generation: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    /// Creates a generator for the next message of a participant.
    ///
    /// - Parameters:
    ///   - event: The kind of the message; nil for a join.
    ///   - role: The participant's role.
    ///   - room: The participant's room.
    /// - Returns: A generator whose numbers depend on the seed and the count of such messages.
    mutating func random(for event: ChaosEvent?, of role: Role, in room: RoomID) -> FaultRandom {
        if counts.count >= Self.maximumCount {
            counts = [:]
            generation += 1
        }
        let number = counts[Line(room: room, role: role, event: event), default: 0]
        counts[Line(room: room, role: role, event: event)] = number + 1
        return FaultRandom(
            seed: seed,
            UInt64(room.value),
            role == .caller ? 1 : 0,
            event.map { UInt64($0.rawValue) + 1 } ?? 0,
            number,
            generation
        )
    }
}
