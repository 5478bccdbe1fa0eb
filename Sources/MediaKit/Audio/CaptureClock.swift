/// A generator of contiguous timestamps for captured audio, based on the times at which its buffers arrive.
///
/// The timestamps of GStreamer's audio sources may be too early by up to the length of their buffer, because the
/// sources do not count the time that a device takes to deliver its first audio after a start or a pause. Audio arrives
/// when it has been captured, or later if the machine is busy, so the earliest arrivals indicate the capture time. All
/// values are in nanoseconds.
struct CaptureClock: Hashable, Sendable {
    /// The deviation from the earliest arrivals above which the timestamps are corrected after the first
    /// window.
    private static let tolerance: Int64 = 5_000_000
    /// The smallest lateness, relative to the expected time, that counts as a discontinuity.
    private static let pause: Int64 = 250_000_000
    /// The duration of a window, whose earliest arrival is used.
    private static let window: UInt64 = 320_000_000

    /// The timestamp and the duration of the previous buffer.
    private var last: UInt64?
    private var lastDuration: UInt64 = 0
    /// The duration of the buffers in the current window, and the smallest lateness among them.
    private var length: UInt64 = 0
    private var lateness = Int64.max
    /// The deviation that is tolerated: none in the first window, whose first buffers may be late.
    private var tolerance: Int64 = 0

    /// Returns the timestamp of a buffer that has just arrived at the time `arrival`.
    mutating func next(arrival: UInt64, lasting duration: UInt64) -> UInt64 {
        let start = start(of: arrival - min(arrival, duration))
        (last, lastDuration) = (start, duration)
        return start
    }

    /// Restarts the measurement, because another device delivers the audio from now on; timestamps never decrease.
    mutating func restart() { (length, lateness, tolerance) = (0, .max, 0) }

    private mutating func start(of time: UInt64) -> UInt64 {
        guard let last else { return time }
        let expected = last.addingReportingOverflow(lastDuration).partialValue
        let distance = Int64(truncatingIfNeeded: time &- expected)
        guard distance < Self.pause else {
            restart()
            return time
        }
        length = length.addingReportingOverflow(lastDuration).partialValue
        lateness = min(lateness, distance)
        if distance < -tolerance {
            (length, lateness) = (0, .max)
            // Half of the previous buffer at most, so that timestamps never decrease.
            return expected - min(expected, min(distance.magnitude, lastDuration / 2))
        }
        guard length >= Self.window else { return expected }
        defer { (length, lateness, tolerance) = (0, .max, Self.tolerance) }
        return lateness > tolerance ? expected &+ lateness.magnitude : expected
    }
}
