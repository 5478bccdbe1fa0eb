/// The start phase of an audio device, in which the device's clock is unreliable.
///
/// An idle sound server consumes the first audio up to 1.5 s after its clock has started. The clock then
/// stops until the audio has caught up. All values are in nanoseconds.
struct DeviceStart: Hashable, Sendable {
    /// The number of consecutive readings, one per packet, that must lie within `tolerance` for the clock to
    /// be steady.
    private static let agreeing = 15
    private static let tolerance: Int64 = 15_000_000
    /// The time after which a device counts as playing in any case; after twice this time, its clock counts
    /// as reliable.
    private static let timeout: UInt64 = 3_000_000_000

    /// Whether the device consumes audio, so that received audio may be written to it.
    private(set) var isPlaying = false
    /// Whether the device's clock is reliable.
    private(set) var isOver = false
    private var start: UInt64?
    private var firstTaken: UInt64?
    /// The range of the offsets between the device's clock and the shared clock in the latest `count`
    /// readings.
    private var agreed: ClosedRange<Int64> = 0...0
    private var count = 0

    /// Adds a reading of both clocks.
    ///
    /// - Parameters:
    ///   - device: the time on the device's clock.
    ///   - shared: the time on the shared clock.
    ///   - taken: the duration of the audio that the device has consumed; nil if the device does not report
    ///     it.
    mutating func update(device: UInt64, shared: UInt64, taken: UInt64?) {
        let start = start ?? shared
        self.start = start
        let age = shared - min(start, shared)
        if isTaking(taken) || age > Self.timeout { isPlaying = true }
        guard isPlaying else { return }
        let distance = Int64(truncatingIfNeeded: device &- shared)
        let range = min(agreed.lowerBound, distance)...max(agreed.upperBound, distance)
        let spread = range.upperBound.subtractingReportingOverflow(range.lowerBound).partialValue
        let isEven = count > 0 && spread.magnitude <= Self.tolerance.magnitude
        (agreed, count) = isEven ? (range, count + 1) : (distance...distance, 1)
        if count >= Self.agreeing || age > 2 * Self.timeout { isOver = true }
    }

    private mutating func isTaking(_ taken: UInt64?) -> Bool {
        guard let taken else { return true }
        guard taken > 0 else { return false }
        defer { firstTaken = firstTaken ?? taken }
        return firstTaken.map { taken > $0 } ?? false
    }
}
