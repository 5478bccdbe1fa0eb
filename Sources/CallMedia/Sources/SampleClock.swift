/// Times of sound that follow each other to the sample, near those of a clock that is read unevenly.
///
/// Echo cancellation compares what is played with what is heard by their times: a constant error does no harm
/// there, a time that jumps by a millisecond loses it the thread. Nanoseconds all through.
struct SampleClock: Hashable, Sendable {
    /// How far the even times may be from the clock's on average before they move at once.
    private static let tolerance: Int64 = 15_000_000
    /// A stretch of sound that comes so much later than expected has silence before it.
    private static let pause: Int64 = 250_000_000
    /// Of how many stretches of sound, about, the average is.
    private static let inertia: Int64 = 32

    private var expected: UInt64?
    private var error: Int64 = 0

    /// The even time of a stretch of sound that lasts so long, where the clock says `time`.
    mutating func next(at time: UInt64, lasting duration: UInt64) -> UInt64 {
        let start = settled(at: time)
        expected = start.addingReportingOverflow(duration).partialValue
        return start
    }

    /// Expects the next stretch so much later, or earlier, as it is known to be.
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
        guard error.magnitude > Self.tolerance.magnitude else { return expected }
        defer { error = 0 }
        return expected &+ UInt64(bitPattern: error)
    }
}
