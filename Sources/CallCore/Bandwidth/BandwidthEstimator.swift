/// A delay- and loss-based estimator of the bit rate that the network path can carry
/// (draft-ietf-rmcat-gcc-02).
///
/// It has no clock: callers pass all times, in seconds. The target stays within its bounds, even if the peer
/// reports false values.
package struct BandwidthEstimator: Hashable, Sendable {
    private static let maximumPackets = 10_000
    /// The number of seconds without feedback after which the rate is lowered while media is sent.
    ///
    /// The rate is lowered again after every further `silenceStep` seconds.
    private static let silence = 1.0
    private static let silenceStep = 0.5
    private static let silenceFactor = 0.7

    private var gradient = DelayGradient()
    private var detector = OveruseDetector()
    private var delivered = DeliveredRate()
    private var loss = LossRate()
    private var control: RateControl
    private var lastFeedback: Double?
    private var lastSilence: Double?
    private var lastRoundTrip = 0.1

    /// Creates an estimator whose target starts at `start` and stays within `bounds`, in bits per second.
    package init(bounds: ClosedRange<Int>, start: Int) {
        let low = Double(max(1, bounds.lowerBound))
        control = RateControl(bounds: low...max(low, Double(bounds.upperBound)), start: Double(start))
    }

    /// The estimated bit rate that the sender may use, in bits per second.
    package var target: Int { Int(control.rate) }

    /// The fraction of packets lost in the last completed measurement window, from 0 to 1.
    package var lossFraction: Double { loss.fraction }

    /// The round-trip time to the peer in seconds; it is 0.1 until a value is set, and at most 10.
    package var roundTrip: Double {
        get { lastRoundTrip }
        set { if newValue.isFinite, newValue >= 0 { lastRoundTrip = min(newValue, 10) } }
    }

    /// Handles the outcomes of the packets in one feedback message, in sending order, received at `now`.
    package mutating func handle(_ fates: some Sequence<PacketFate>, at now: Double) {
        guard now.isFinite else { return }
        noteFeedback(at: now)
        var (count, lost) = (0, 0)
        var usage = OveruseDetector.Usage.normal
        for fate in fates.prefix(Self.maximumPackets) where fate.isPlausible {
            count += 1
            guard let arrived = fate.arrived else {
                lost += 1
                continue
            }
            delivered.add(bytes: fate.size, at: arrived)
            guard let time = gradient.add(sent: fate.sent, arrived: arrived) else { continue }
            let seen = detector.update(slope: gradient.slope, count: gradient.count, at: time)
            if seen != .normal, usage != .over { usage = seen }
        }
        guard count > 0 else { return }
        if detector.usage == .under, usage == .normal { usage = .under }
        followLoss(count, lost, at: now)
        control.update(
            usage,
            delivered: delivered.value,
            roundTrip: roundTrip,
            mayGrow: loss.allowsGrowth,
            at: now
        )
    }

    /// Handles the fraction of packets lost since the previous receiver report (RFC 3550 §6.4.1).
    ///
    /// A peer without transport-wide feedback sends no other report. Therefore, the delivered bit rate is assumed to
    /// equal `rate`, the bit rate being sent.
    package mutating func handle(lossFraction: Double, sending rate: Double, at now: Double) {
        guard lossFraction.isFinite, rate.isFinite, now.isFinite else { return }
        noteFeedback(at: now)
        followLoss(1000, Int(1000 * min(max(lossFraction, 0), 1)), at: now)
        control.update(
            .normal,
            delivered: max(0, rate),
            roundTrip: roundTrip,
            mayGrow: loss.allowsGrowth,
            at: now
        )
    }

    /// Lowers the target if the last feedback is a second old or older; called at least twice a second while
    /// media is sent.
    ///
    /// Before the first feedback, it has no effect.
    package mutating func pass(to now: Double) {
        guard now.isFinite, let lastFeedback else { return }
        let last = max(lastFeedback + Self.silence - Self.silenceStep, lastSilence ?? -.infinity)
        guard now - last >= Self.silenceStep else { return }
        control.scale(by: Self.silenceFactor)
        lastSilence = now
    }

    /// Forgets the time of the last feedback because sending has stopped; does not change the target.
    package mutating func rest() { (lastFeedback, lastSilence) = (nil, nil) }

    private mutating func noteFeedback(at now: Double) { (lastFeedback, lastSilence) = (now, nil) }

    private mutating func followLoss(_ count: Int, _ lost: Int, at now: Double) {
        guard let factor = loss.update(sent: count, lost: lost, at: now), factor < 1 else { return }
        control.scale(by: factor, noLowerThan: delivered.value)
    }
}
