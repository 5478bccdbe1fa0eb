/// The delay of received audio after its own time with which its device has it in time.
///
/// It grows at once where some came too late, and shrinks after five to ten seconds in which less was enough.
/// Nanoseconds all through.
struct AudioHold: Hashable, Sendable {
    /// The longest delay beside the device's own; whoever waits longer is no longer in conversation.
    private static let most: Int64 = 500_000_000
    /// The delay beyond the largest need, so that a slightly later packet does not change it.
    private static let margin: Int64 = 10_000_000
    /// The least gain for which the delay is made smaller; each change is heard.
    private static let worthwhile: Int64 = 20_000_000
    private static let patience: UInt64 = 5_000_000_000

    /// The part of the need that is the device's own, without which nothing is heard.
    var device: UInt64 = 0
    /// The largest need since `start`, and in the stretch of time before that; nil until that is over.
    private var peak: Int64 = 0
    private var earlierPeak: Int64?
    private var start: UInt64?
    /// 0 before anything came.
    private(set) var delay: UInt64 = 0

    /// Takes the delay that the audio which has come `now` needs.
    mutating func update(need: Int64, at now: UInt64) {
        let need = min(max(0, need), Self.most + Int64(min(device, DeviceLatency.most)))
        guard let start else {
            (self.start, peak) = (now, need)
            delay = UInt64(need + Self.margin)
            return
        }
        if now > start, now - start >= Self.patience {
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
