/// The delay after the capture time with which received audio reaches the playback device in time.
///
/// The delay grows immediately when audio arrives too late, and shrinks after five to ten seconds in which a
/// shorter delay was enough. All values are in nanoseconds.
struct AudioHold: Hashable, Sendable {
    /// The longest delay, not counting the latency of the device; a longer delay makes conversation
    /// impossible.
    private static let maximum: Int64 = 500_000_000
    /// The margin added to the largest needed delay, so that a slightly later packet does not change the
    /// delay.
    private static let margin: Int64 = 10_000_000
    /// The smallest reduction of the delay that is applied, because each change is audible.
    private static let worthwhile: Int64 = 20_000_000
    private static let decayDelay: UInt64 = 5_000_000_000

    /// The latency of the playback device, which is part of the needed delay.
    var device: UInt64 = 0
    /// The largest needed delay since `start`; `earlierPeak` is the largest one in the preceding period, nil
    /// during the first period.
    private var peak: Int64 = 0
    private var earlierPeak: Int64?
    private var start: UInt64?
    /// The current delay; 0 before any audio arrived.
    private(set) var delay: UInt64 = 0

    /// Updates the delay after audio arrived at the time `now`; `need` is the delay that this audio needs.
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
