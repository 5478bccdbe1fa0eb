/// A generator of contiguous audio timestamps that remain close to the time of a jittery clock.
///
/// Echo cancellation aligns loudspeaker and microphone by timestamps: it tolerates a constant error, but
/// loses the alignment if a timestamp jumps by a millisecond. All values are in nanoseconds.
struct SampleClock: Hashable, Sendable {
    /// The smallest distance from the expected time that counts as a discontinuity.
    private static let pause: Int64 = 250_000_000
    /// The approximate number of buffers in the moving average of the deviation.
    private static let inertia: Int64 = 32

    /// The average deviation from the clock above which the timestamps are corrected.
    private let tolerance: Int64
    private var expected: UInt64?
    private var error: Int64 = 0

    /// Creates a clock that corrects its timestamps when they deviate by more than `tolerance` on average.
    init(tolerance: Int64 = 15_000_000) { self.tolerance = tolerance }

    /// Returns the contiguous timestamp of a buffer that begins at `time` according to the clock.
    mutating func next(at time: UInt64, lasting duration: UInt64) -> UInt64 {
        let start = settled(at: time)
        expected = start.addingReportingOverflow(duration).partialValue
        return start
    }

    /// Moves the expected time of the next buffer by the length of a known gap.
    mutating func skip(_ gap: Int64) {
        expected = expected.map { $0 &+ UInt64(bitPattern: gap) }
    }

    private mutating func settled(at time: UInt64) -> UInt64 {
        guard let expected else { return time }
        let distance = Int64(truncatingIfNeeded: time &- expected)
        guard distance.magnitude < Self.pause.magnitude else {
            error = 0
            return time
        }
        error += (distance - error) / Self.inertia
        guard error.magnitude > tolerance.magnitude else { return expected }
        defer { error = 0 }
        return expected &+ UInt64(bitPattern: error)
    }
}
