/// A generator of contiguous timestamps for captured audio, based on the times at which its buffers arrive.
///
/// The timestamps of GStreamer's audio sources may be too early by up to the length of their buffer, because
/// the sources do not count the time that a device takes to deliver its first audio after a start or a pause.
/// Audio arrives when it has been captured, or later if the machine is busy, so the earliest arrivals tell
/// its time. All values are in nanoseconds.
struct CaptureClock: Hashable, Sendable {
    /// The deviation from the earliest arrivals above which the timestamps are corrected after the first
    /// window.
    private static let tolerance: Int64 = 5_000_000
    /// The smallest distance from the expected time that counts as a discontinuity.
    private static let pause: Int64 = 250_000_000
    /// The number of buffers whose earliest arrival is used.
    private static let window = 32

    private var expected: UInt64?
    /// The number of buffers in the current window, and their least lateness.
    private var count = 0
    private var lateness = Int64.max
    /// The deviation that is tolerated: none in the first window, whose first buffers may be late.
    private var tolerance: Int64 = 0

    /// Returns the timestamp of a buffer that has just arrived at the time `arrival`.
    mutating func next(arrival: UInt64, lasting duration: UInt64) -> UInt64 {
        let start = start(of: arrival - min(arrival, duration), lasting: duration)
        expected = start.addingReportingOverflow(duration).partialValue
        return start
    }

    private mutating func start(of time: UInt64, lasting duration: UInt64) -> UInt64 {
        guard let expected else { return time }
        let distance = Int64(truncatingIfNeeded: time &- expected)
        guard distance.magnitude < Self.pause.magnitude else {
            self = CaptureClock()
            return time
        }
        count += 1
        lateness = min(lateness, distance)
        if distance < -tolerance {
            (count, lateness) = (0, .max)
            // Half of the duration at most, so that timestamps never decrease.
            return expected - min(expected, min(distance.magnitude, duration / 2))
        }
        guard count >= Self.window else { return expected }
        defer { (count, lateness, tolerance) = (0, .max, Self.tolerance) }
        return lateness > tolerance ? expected &+ lateness.magnitude : expected
    }
}
