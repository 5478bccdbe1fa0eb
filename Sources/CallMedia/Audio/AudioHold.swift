/// The delay, relative to its capture time, with which received audio reaches its device in time.
///
/// It grows immediately when audio arrives too late and shrinks after five to ten seconds in which less was
/// enough. All values are in nanoseconds.
struct AudioHold: Hashable, Sendable {
    /// The longest delay apart from the device's own; a longer one makes conversation impossible.
    private static let maximum: Int64 = 500_000_000
    /// The margin added to the largest needed delay, so that a slightly later packet does not change the
    /// delay.
    private static let margin: Int64 = 10_000_000
    /// The smallest reduction of the delay that is applied, because each change is audible.
    private static let worthwhile: Int64 = 20_000_000
    private static let decayDelay: UInt64 = 5_000_000_000

    /// The part of the needed delay that is the device's own; audio written later is not heard.
    var device: UInt64 = 0
    /// The largest needed delay since `start`; `earlierPeak` is that of the preceding period, nil during the
    /// first period.
    private var peak: Int64 = 0
    private var earlierPeak: Int64?
    private var start: UInt64?
    /// The current delay; 0 before any audio arrived.
    private(set) var delay: UInt64 = 0

    /// Updates the delay with the delay needed by audio that arrived `now`.
    mutating func update(need: Int64, at now: UInt64) {
        let need = min(max(0, need), Self.maximum + Int64(min(device, DeviceLatency.maximum)))
        guard let start else {
            (self.start, peak) = (now, need)
            delay = UInt64(need + Self.margin)
            return
        }
        if now > start, now - start >= Self.decayDelay {
            (earlierPeak, peak, self.start) = (peak, need, now)
        } else {
            peak = max(peak, need)
        }
        if need > Int64(delay) { delay = UInt64(need + Self.margin) }
        guard let earlierPeak else { return }
        let enough = max(peak, earlierPeak) + Self.margin
        if enough + Self.worthwhile <= Int64(delay) { delay = UInt64(enough) }
    }
}
