/// A controller of a bit rate by additive increase and multiplicative decrease (draft-ietf-rmcat-gcc-02
/// §5.5).
struct RateControl: Hashable, Sendable {
    private static let decrease = 0.85
    /// The growth factors per second: `cautious` at the beginning and after a disturbance, and later
    /// `confident`, at which overuse can still be detected in time.
    ///
    /// A disturbance is overuse, underuse, or a call of `scale`.
    private static let growth = (cautious: 1.08, confident: 1.25)
    /// The number of seconds without a disturbance after which the rate grows by the factor `confident`.
    private static let confidence = 2.0
    private static let packetBits = 9600.0

    private enum State: Hashable { case increase, hold }

    let bounds: ClosedRange<Double>
    private(set) var rate: Double
    private var state = State.increase
    private var capacity = LinkCapacity()
    private var lastUpdate: Double?
    private var lastDecrease: Double?
    private var calmSince: Double?

    init(bounds: ClosedRange<Double>, start: Double) {
        self.bounds = bounds
        rate = min(max(start, bounds.lowerBound), bounds.upperBound)
    }

    /// Updates the rate from the detector's state and the losses; times are in seconds.
    ///
    /// - Parameters:
    ///   - usage: the state of the overuse detector.
    ///   - delivered: the bit rate that reaches the peer, if known.
    ///   - roundTrip: the round-trip time to the peer.
    ///   - mayGrow: false while losses indicate congestion.
    ///   - now: the current time, later than in the previous call.
    mutating func update(
        _ usage: OveruseDetector.Usage,
        delivered: Double?,
        roundTrip: Double,
        mayGrow: Bool,
        at now: Double
    ) {
        let elapsed = min(max(0, now - (lastUpdate ?? now)), 1)
        lastUpdate = now
        switch usage {
        case .over:
            state = .hold
            calmSince = nil
            back(off: delivered, roundTrip: roundTrip, at: now)
        case .under:
            state = .hold
            calmSince = nil
        case .normal:
            // After a hold, during which the queue drains, growth resumes with the next report.
            if state == .increase, mayGrow { grow(delivered, roundTrip, elapsed, now) }
            state = .increase
            calmSince = calmSince ?? now
        }
    }

    private mutating func back(off delivered: Double?, roundTrip: Double, at now: Double) {
        let isRecent = lastDecrease.map { now - $0 < roundTrip + 0.2 } ?? false
        let isMuchTooFast = delivered.map { $0 < rate / 2 } ?? false
        guard !isRecent || isMuchTooFast else { return }
        if let delivered {
            set(min(rate, delivered * Self.decrease))
            capacity.add(delivered)
        } else {
            set(rate * Self.decrease)
        }
        lastDecrease = now
    }

    private mutating func grow(_ delivered: Double?, _ roundTrip: Double, _ elapsed: Double, _ now: Double) {
        if let delivered, capacity.isExceeded(by: delivered) { capacity = LinkCapacity() }
        let isNear = capacity.isNear(delivered ?? rate)
        let calm = now - (calmSince ?? now)
        let factor = calm > Self.confidence ? Self.growth.confident : Self.growth.cautious
        let grown =
            isNear
            ? rate + Self.packetBits / (min(max(roundTrip, 0), 1) + 0.1) * elapsed
            : rate * (1 + (factor - 1) * elapsed)
        // A rate far above the delivered rate would rely on capacity that has not been measured.
        let ceiling = delivered.map { max($0 * 1.5 + 10_000, rate) } ?? rate
        set(min(grown, ceiling))
    }

    /// Multiplies the rate by a factor after packet loss or missing feedback.
    ///
    /// It does not lower the rate below 85 percent of `delivered`, if that is known.
    mutating func scale(by factor: Double, noLowerThan delivered: Double? = nil) {
        let minimum = delivered.map { min(rate, $0 * Self.decrease) } ?? 0
        set(max(rate * min(max(factor, 0), 1), minimum))
        calmSince = nil
    }

    private mutating func set(_ newRate: Double) {
        guard newRate.isFinite else { return }
        rate = min(max(newRate, bounds.lowerBound), bounds.upperBound)
    }
}

/// An estimate of the path's capacity, measured at overuse: mean and deviation in bits per second.
private struct LinkCapacity: Hashable {
    private var mean: Double?
    /// The variance of the relative error of a measurement, which is its difference from the mean divided by
    /// the mean.
    private var variance = 0.0025

    mutating func add(_ rate: Double) {
        guard rate > 0 else { return }
        guard let old = mean, abs(rate - old) <= 3 * deviation else {
            (mean, variance) = (rate, 0.0025)
            return
        }
        mean = 0.95 * old + 0.05 * rate
        let error = (rate - old) / old
        variance = min(max(0.95 * variance + 0.05 * error * error, 0.0004), 0.01)
    }

    private var deviation: Double { (mean ?? 0) * variance.squareRoot() }

    fileprivate func isExceeded(by rate: Double) -> Bool {
        mean.map { rate > $0 + max(3 * deviation, $0 * 0.15) } ?? false
    }

    func isNear(_ rate: Double) -> Bool {
        mean.map { abs(rate - $0) <= max(3 * deviation, $0 * 0.15) } ?? false
    }
}
