/// The time that a jitter buffer waits for a packet, computed from the jitter and the duration of
/// retransmissions.
struct PlayoutDelay: Hashable, Sendable {
    /// The longest delay in milliseconds; a longer one would disturb a conversation.
    private static let maximum = 300.0
    /// The time for requesting, finding and resending a packet in addition to the round trip, in
    /// milliseconds.
    private static let margin = 20.0
    /// The time, in milliseconds, after which the loss of a frame's last packet is detected by the arrival of
    /// the next frame.
    private static let notice = 35.0
    /// The assumed round trip until it is measured, in seconds.
    static let likelyRoundTrip = 0.1
    /// The multiple of the jitter within which nearly all packets arrive; the jitter is a mean deviation.
    private static let deviations = 4.0
    /// The time for which a shorter delay must have been enough before it is applied, in seconds.
    private static let decayDelay = 10.0

    private let minimum: Double
    private var shorterSince: Double?
    private var lastLoss: Double?
    /// The current delay in milliseconds.
    private(set) var milliseconds: Int

    /// Creates a delay with a minimum in milliseconds.
    init(minimum: Int) {
        self.minimum = min(max(0, Double(minimum)), Self.maximum)
        milliseconds = Int(self.minimum)
    }

    /// Sets the delay to the maximum and returns it in milliseconds, because a packet is missing and the path
    /// has not been measured yet.
    mutating func expectLoss() -> Int {
        (milliseconds, shorterSince) = (Int(Self.maximum), nil)
        return milliseconds
    }

    /// Computes the playout delay of frames in milliseconds.
    ///
    /// The delay covers retransmissions if a packet was lost in the last ten seconds, otherwise only jitter.
    /// `update` must be called first.
    ///
    /// - Parameters:
    ///   - jitter: the interarrival jitter in seconds (RFC 3550 §6.4.1).
    ///   - isLossy: whether packets are being lost.
    ///   - now: the current time in seconds.
    /// - Returns: the delay in milliseconds.
    mutating func held(jitter: Double, isLossy: Bool, at now: Double) -> Int {
        if isLossy { lastLoss = now }
        if let lastLoss, now - lastLoss < Self.decayDelay { return milliseconds }
        let jitter = jitter.isFinite ? min(jitter * 1000 * Self.deviations, Self.maximum) : 0
        return min(milliseconds, Int(max(minimum, jitter).rounded(.up)))
    }

    /// The measurements that determine the delay for retransmissions.
    struct Retransmission: Hashable, Sendable {
        /// The round trip in seconds; nil until it is measured.
        var roundTrip: Double?
        /// The share of packets lost, from 0 to 1, before retransmission.
        var loss: Double

        /// The number of retransmissions of a packet to allow time for; more than one if retransmissions may
        /// be lost too.
        fileprivate var rounds: Double { loss < 0.001 ? 1 : loss < 0.02 ? 2 : 3 }

        /// The interval between requests for a missing packet in milliseconds, and the maximum number of
        /// requests; -1 leaves a value to the jitter buffer.
        ///
        /// Each request and each retransmission may be lost too, so the interval is half a round trip, or
        /// less if there would not be time for four requests within the maximum delay; but at least
        /// `shortest`. A round trip above 0.25 s indicates a long queue, which frequent requests would make
        /// longer, so the interval is then the duration of a whole retransmission.
        var retries: (timeout: Int, maximum: Int) {
            guard let roundTrip, roundTrip.isFinite else { return (-1, -1) }
            guard roundTrip <= 0.25 else { return (Int(round), -1) }
            let window = PlayoutDelay.maximum - PlayoutDelay.notice - roundTrip * 1000
            let timeout = max(Self.shortest, min(roundTrip * 500, window / 3))
            return (Int(timeout), Int(window / timeout) + 1)
        }

        /// The smallest useful interval between requests, in milliseconds.
        private static let shortest = 10.0

        /// The time for one retransmission in milliseconds, at most five seconds.
        fileprivate var round: Double {
            let roundTrip = roundTrip.flatMap { $0.isFinite ? $0 : nil } ?? PlayoutDelay.likelyRoundTrip
            return min(max(roundTrip, 0) * 1000 + PlayoutDelay.margin, 5000)
        }

        fileprivate var milliseconds: Double { PlayoutDelay.notice + rounds * round }
    }

    /// Adapts the delay to the path; it grows immediately and shrinks after ten seconds.
    ///
    /// - Parameters:
    ///   - jitter: the interarrival jitter in seconds (RFC 3550 §6.4.1).
    ///   - retransmission: the measurements for retransmission; nil if no retransmissions are requested.
    ///   - now: the current time in seconds.
    /// - Returns: the new delay in milliseconds; nil if it is unchanged.
    mutating func update(jitter: Double, retransmission: Retransmission?, at now: Double) -> Int? {
        let needs = [minimum, jitter * 1000 * Self.deviations, retransmission?.milliseconds ?? 0]
        let wanted = needs.filter(\.isFinite).max() ?? minimum
        let next = Int(min(wanted, Self.maximum).rounded(.up))
        if next > milliseconds {
            shorterSince = nil
            milliseconds = next
            return next
        }
        // Each change makes the pipeline recalculate its latency, so only reductions by more than a quarter
        // are worthwhile.
        guard next < milliseconds * 3 / 4 else {
            shorterSince = nil
            return nil
        }
        let since = shorterSince ?? now
        shorterSince = since
        guard now - since >= Self.decayDelay else { return nil }
        shorterSince = nil
        milliseconds = next
        return next
    }
}
