/// A detector of overuse of the path (draft-ietf-rmcat-gcc-02 §5.4).
///
/// The threshold adapts to the measured delays. Otherwise, a competing loss-based flow such as TCP, which
/// fills the queues, would starve this flow.
struct OveruseDetector: Hashable, Sendable {
    enum Usage: Hashable, Sendable { case normal, over, under }

    private static let gain = 4.0
    private static let adaptationUp = 0.0087
    private static let adaptationDown = 0.039
    private static let bounds = 6.0...600.0
    /// The number of seconds for which overuse must last before it is detected.
    private static let overuseTime = 0.010

    private(set) var usage = Usage.normal
    /// The value of slope × count × `gain` above which the link counts as overused.
    private(set) var threshold = 12.5
    private var lastTime: Double?
    private var overSince: Double?
    private var overs = 0
    private var lastValue = 0.0

    /// Classifies the slope of the delay, computed at `time`, in seconds, from `count` changes of the delay.
    mutating func update(slope: Double, count: Int, at time: Double) -> Usage {
        let value = max(-1e6, min(1e6, slope * Double(count) * Self.gain))
        let elapsed = lastTime.map { max(0, time - $0) } ?? 0
        if value > threshold {
            overSince = overSince ?? time - elapsed / 2
            overs += 1
            if time - (overSince ?? time) > Self.overuseTime, overs > 1, value >= lastValue { usage = .over }
        } else {
            (overSince, overs) = (nil, 0)
            usage = value < -threshold ? .under : .normal
        }
        lastValue = value
        adapt(to: abs(value), after: elapsed)
        lastTime = time
        return usage
    }

    private mutating func adapt(to magnitude: Double, after elapsed: Double) {
        // A sudden jump, as after a change of route, says nothing about the noise of the path.
        guard magnitude <= threshold + 15 else { return }
        let rate = magnitude < threshold ? Self.adaptationDown : Self.adaptationUp
        threshold += rate * (magnitude - threshold) * min(elapsed * 1000, 100)
        threshold = min(max(threshold, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
}
