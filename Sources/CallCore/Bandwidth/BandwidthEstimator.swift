/// How fast the path to the peer may be used: delay- and loss-based (draft-ietf-rmcat-gcc-02).
///
/// A value without a clock: all times are passed in, in seconds. What a peer reports may be anything; the
/// target stays within its bounds.
package struct BandwidthEstimator: Hashable, Sendable {
    private static let mostPackets = 10_000
    /// Seconds without a word from the peer, while something is sent, until the rate is lowered; then again.
    private static let silence = 1.0
    private static let silenceStep = 0.5
    private static let silenceFactor = 0.7

    private var gradient = DelayGradient()
    private var detector = OveruseDetector()
    private var delivered = DeliveredRate()
    private var loss = LossRate()
    private var control: RateControl
    private var lastWord: Double?
    private var lastSilence: Double?
    private var lastRoundTrip = 0.1

    /// Keeps to `bounds`, in bits per second, and begins at `start`.
    package init(bounds: ClosedRange<Int>, start: Int) {
        let low = Double(max(1, bounds.lowerBound))
        control = RateControl(bounds: low...max(low, Double(bounds.upperBound)), start: Double(start))
    }

    /// Bits per second that may be sent.
    package var target: Int { Int(control.rate) }

    /// Of the packets in the last half second, from 0 to 1.
    package var lossFraction: Double { loss.fraction }

    /// Whether the path was last seen to be used beyond what it carries.
    package var isOverused: Bool { detector.usage == .over }

    /// Seconds from us to the peer and back; 0.1 until it is known.
    package var roundTrip: Double {
        get { lastRoundTrip }
        set { if newValue.isFinite, newValue >= 0 { lastRoundTrip = min(newValue, 10) } }
    }

    /// Takes one feedback of the peer, its packets in the order of sending, which came at `now`.
    package mutating func handle(_ fates: some Sequence<PacketFate>, at now: Double) {
        guard now.isFinite else { return }
        hear(at: now)
        var (count, lost) = (0, 0)
        var usage = OveruseDetector.Usage.normal
        for fate in fates.prefix(Self.mostPackets) where fate.isSane {
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

    /// Takes the share of packets lost since the last receiver report (RFC 3550 §6.4.1).
    ///
    /// It is all that a peer without transport-wide feedback tells; the rate then grows with what is sent.
    package mutating func handle(lossFraction: Double, sending rate: Double, at now: Double) {
        guard lossFraction.isFinite, rate.isFinite, now.isFinite else { return }
        hear(at: now)
        followLoss(1000, Int(1000 * min(max(lossFraction, 0), 1)), at: now)
        control.update(
            .normal,
            delivered: max(0, rate),
            roundTrip: roundTrip,
            mayGrow: loss.allowsGrowth,
            at: now
        )
    }

    /// Lets time pass, at least twice a second while something is sent.
    package mutating func pass(to now: Double) {
        guard now.isFinite, let lastWord else { return }
        let last = max(lastWord + Self.silence - Self.silenceStep, lastSilence ?? -.infinity)
        guard now - last >= Self.silenceStep else { return }
        control.scale(by: Self.silenceFactor)
        lastSilence = now
    }

    /// Forgets what was said, because nothing is sent any more; the target stays.
    package mutating func rest() { (lastWord, lastSilence) = (nil, nil) }

    private mutating func hear(at now: Double) { (lastWord, lastSilence) = (now, nil) }

    private mutating func followLoss(_ count: Int, _ lost: Int, at now: Double) {
        guard let factor = loss.update(sent: count, lost: lost, at: now), factor < 1 else { return }
        control.scale(by: factor, noLowerThan: delivered.value)
    }
}
