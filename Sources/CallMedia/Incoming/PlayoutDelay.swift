/// How long a jitter buffer waits for a packet: as long as jitter and, where it is asked for again, round trips need.
struct PlayoutDelay: Hashable, Sendable {
    /// In milliseconds; whoever waits longer is no longer in conversation.
    private static let most = 300.0
    /// What asking, finding and sending again take beside the round trip, in milliseconds.
    private static let margin = 20.0
    /// A picture's last packet is only missed when the next picture comes, in milliseconds.
    private static let notice = 35.0
    /// In seconds, until it is known.
    static let likelyRoundTrip = 0.1
    /// The mean deviation, which is what RTCP tells, this many times covers nearly all packets.
    private static let deviations = 4.0
    /// How long less must have been enough before it is made less, in seconds.
    private static let patience = 10.0

    private let least: Double
    private var shorterSince: Double?
    private var lastLoss: Double?
    /// In milliseconds.
    private(set) var milliseconds: Int

    /// - Parameter least: in milliseconds.
    init(least: Int) {
        self.least = min(max(0, Double(least)), Self.most)
        milliseconds = Int(self.least)
    }

    /// Waits as long as anybody does, because a packet is missing and nothing is known of the path yet.
    mutating func expectLoss() -> Int {
        (milliseconds, shorterSince) = (Int(Self.most), nil)
        return milliseconds
    }

    /// How long pictures are held back, in milliseconds: as long as packets are waited for where any was missing in
    /// the last ten seconds, else as jitter needs.
    ///
    /// - Parameters: as `update` has them; it comes first.
    mutating func held(jitter: Double, isLossy: Bool, at now: Double) -> Int {
        if isLossy { lastLoss = now }
        if let lastLoss, now - lastLoss < Self.patience { return milliseconds }
        let jitter = jitter.isFinite ? min(jitter * 1000 * Self.deviations, Self.most) : 0
        return min(milliseconds, Int(max(least, jitter).rounded(.up)))
    }

    /// What retransmission needs of the buffer.
    struct Retransmission: Hashable, Sendable {
        /// In seconds; nil until it is known.
        var roundTrip: Double?
        /// Of the packets, from 0 to 1, before any came again.
        var loss: Double

        /// How often a packet is to be asked for: what is sent again may be lost too.
        fileprivate var rounds: Double { loss < 0.001 ? 1 : loss < 0.02 ? 2 : 3 }

        /// When to ask again for what has not come, in milliseconds, and how often at most; -1 leaves it to the jitter
        /// buffer.
        ///
        /// Twice in a round trip, or often enough for four requests whose packets still come in time, because each of
        /// them and each of those may be lost too; over a long queue that would be a storm.
        var retries: (timeout: Int, most: Int) {
            guard let roundTrip, roundTrip.isFinite else { return (-1, -1) }
            guard roundTrip <= 0.25 else { return (Int(round), -1) }
            let window = PlayoutDelay.most - PlayoutDelay.notice - roundTrip * 1000
            let timeout = max(Self.shortest, min(roundTrip * 500, window / 3))
            return (Int(timeout), Int(window / timeout) + 1)
        }

        /// Below it nothing is gained, in milliseconds.
        private static let shortest = 10.0

        /// What one takes, in milliseconds; at most five seconds.
        fileprivate var round: Double {
            let roundTrip = roundTrip.flatMap { $0.isFinite ? $0 : nil } ?? PlayoutDelay.likelyRoundTrip
            return min(max(roundTrip, 0) * 1000 + PlayoutDelay.margin, 5000)
        }

        fileprivate var milliseconds: Double { PlayoutDelay.notice + rounds * round }
    }

    /// Follows the path: grows at once, shrinks after ten seconds.
    ///
    /// - Parameters:
    ///   - jitter: mean deviation in seconds (RFC 3550 §6.4.1).
    ///   - retransmission: where packets are asked for again.
    ///   - now: in seconds.
    /// - Returns: the new delay, where it is another.
    mutating func update(jitter: Double, retransmission: Retransmission?, at now: Double) -> Int? {
        let wishes = [least, jitter * 1000 * Self.deviations, retransmission?.milliseconds ?? 0]
        let wanted = wishes.filter(\.isFinite).max() ?? least
        let next = Int(min(wanted, Self.most).rounded(.up))
        if next > milliseconds {
            shorterSince = nil
            milliseconds = next
            return next
        }
        // Every change makes the pipeline count its latency anew.
        guard next < milliseconds * 3 / 4 else {
            shorterSince = nil
            return nil
        }
        let since = shorterSince ?? now
        shorterSince = since
        guard now - since >= Self.patience else { return nil }
        shorterSince = nil
        milliseconds = next
        return next
    }
}
