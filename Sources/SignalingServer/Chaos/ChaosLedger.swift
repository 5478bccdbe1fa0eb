internal import CallCore

/// Counts what was said in each room, by whom and of which kind, so that each event has dice of its own.
///
/// What a decision depends on is then neither the time nor what happens in other rooms.
struct ChaosLedger {
    static let maximumCount = 16_384

    private struct Line: Hashable {
        let room: RoomID
        let role: Role
        let event: ChaosEvent?
    }

    private let seed: UInt64
    private var counts: [Line: UInt64] = [:]
    /// How often the counts were given up because there were too many.
    private var generation: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    /// The dice for the next such event of that role in that room; nil is a joining.
    mutating func dice(for event: ChaosEvent?, of role: Role, in room: RoomID) -> FaultRandom {
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
