/// The first moments of an audio device, in which its clock does not tell the truth.
///
/// A sound server that was idle takes the first audio up to a second and a half after its clock has begun to run; the
/// clock then stands still until what it told has become true. Nanoseconds all through.
struct DeviceStart: Hashable, Sendable {
    /// The clock runs evenly once so many readings, one per packet, differ by no more than `tolerance`.
    private static let agreeing = 15
    private static let tolerance: Int64 = 15_000_000
    /// After so long a device counts as one that plays, and after twice as long its clock as good as it gets.
    private static let patience: UInt64 = 3_000_000_000

    /// Whether the device takes audio, so that what comes may go on to it.
    private(set) var isPlaying = false
    /// Whether its clock can be relied on.
    private(set) var isOver = false
    private var start: UInt64?
    private var firstTaken: UInt64?
    /// By how much the device's clock was ahead, in the latest readings that agree.
    private var agreed: ClosedRange<Int64> = 0...0
    private var count = 0

    /// Takes a reading of both clocks.
    ///
    /// - Parameters:
    ///   - device: what the device's clock tells.
    ///   - shared: the present.
    ///   - taken: how much audio the device has taken; nil for one that does not tell.
    mutating func update(device: UInt64, shared: UInt64, taken: UInt64?) {
        let start = start ?? shared
        self.start = start
        let age = shared - min(start, shared)
        if isTaking(taken) || age > Self.patience { isPlaying = true }
        guard isPlaying else { return }
        let distance = Int64(truncatingIfNeeded: device &- shared)
        let range = min(agreed.lowerBound, distance)...max(agreed.upperBound, distance)
        let spread = range.upperBound.subtractingReportingOverflow(range.lowerBound).partialValue
        let isEven = count > 0 && spread.magnitude <= Self.tolerance.magnitude
        (agreed, count) = isEven ? (range, count + 1) : (distance...distance, 1)
        if count >= Self.agreeing || age > 2 * Self.patience { isOver = true }
    }

    private mutating func isTaking(_ taken: UInt64?) -> Bool {
        guard let taken else { return true }
        guard taken > 0 else { return false }
        defer { firstTaken = firstTaken ?? taken }
        return firstTaken.map { taken > $0 } ?? false
    }
}
