/// Detects jumps of one clock relative to another.
///
/// The clock of an audio device jumps when the device's latency changes. All values are in nanoseconds.
struct ClockWatch: Hashable, Sendable {
    /// The largest difference between the quick and the slow average that counts as jitter rather than as a
    /// jump.
    private static let tolerance: Int64 = 60_000_000
    /// The approximate numbers of readings in the two moving averages of the distance between the clocks.
    private static let inertia: (quick: Int64, slow: Int64) = (128, 2048)

    /// The number of readings to ignore at first, while a sound server still corrects its clock.
    private static let settling = 150

    private var readings = 0
    private var averages: Averages?

    private struct Averages: Hashable {
        var quick: Int64
        var slow: Int64
    }

    /// Adds a reading of both clocks and returns whether one has just jumped; each jump is reported once.
    mutating func hasMoved(device: UInt64, shared: UInt64) -> Bool {
        readings = min(readings + 1, Self.settling)
        guard readings == Self.settling else { return false }
        let distance = Int64(truncatingIfNeeded: device &- shared)
        var next = averages ?? Averages(quick: distance, slow: distance)
        next.quick += (distance &- next.quick) / Self.inertia.quick
        next.slow += (distance &- next.slow) / Self.inertia.slow
        let hasMoved = (next.quick &- next.slow).magnitude > Self.tolerance.magnitude
        averages = hasMoved ? nil : next
        if hasMoved { readings = 0 }
        return hasMoved
    }
}
