/// Notices that one clock has moved against another, as a device's does whose latency has changed.
///
/// Nanoseconds all through.
struct ClockWatch: Hashable, Sendable {
    /// Less is no more than unevenness.
    private static let tolerance: Int64 = 60_000_000
    /// The approximate number of readings that each of the two averages covers.
    private static let inertia: (quick: Int64, slow: Int64) = (128, 2048)

    /// A sound server's clock that has just started is corrected for a while.
    private static let settling = 150

    private var readings = 0
    private var averages: Averages?

    private struct Averages: Hashable {
        var quick: Int64
        var slow: Int64
    }

    /// Takes a reading of both; whether one has moved lately, which is told once.
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
