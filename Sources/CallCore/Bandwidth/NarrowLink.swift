/// Whether a link carries less than what goes out as it is, so that it is worth to encode that anew.
///
/// Delays alone grow on a busy machine too, which an encoder would make busier still: there only losses count. A value
/// without a clock: times are passed in, in seconds.
package struct NarrowLink: Hashable, Sendable {
    /// Seconds for which the link must carry less.
    private static let patience = 3.0
    /// The share of lost packets, or the seconds of a round trip, without which a link is no narrow one.
    private static let trouble = (loss: 0.01, roundTrip: 0.5)
    /// The share of its processors' time from which on a machine is busy.
    private static let busy = 0.8

    private var lastLoss: Double?
    private var lastDelay: Double?
    private var lastBusy: Double?
    private var since: Double?
    /// While the link seems to carry less.
    private var lastTimes: CPUTimes?

    package init() {}

    /// Takes what receiver reports tell: the share of lost packets, and the round trip in seconds.
    package mutating func handle(loss: Double?, roundTrip: Double?, at now: Double) {
        if (loss ?? 0) >= Self.trouble.loss { lastLoss = now }
        if (roundTrip ?? 0) >= Self.trouble.roundTrip { lastDelay = now }
    }

    /// Follows `rate` and what the link carries; to be called once a second.
    ///
    /// - Parameters:
    ///   - rate: of what goes out, in bits per second.
    ///   - target: what the link is taken to carry, in bits per second.
    ///   - processors: their times, asked for only where the link seems to carry less; nil where they are not known.
    ///   - now: in seconds.
    /// - Returns: whether the rate has been too much for a while.
    package mutating func isShort(
        of rate: Int,
        target: Int,
        processors: @autoclosure () -> CPUTimes?,
        at now: Double
    ) -> Bool {
        guard target < rate else {
            (since, lastTimes) = (nil, nil)
            return false
        }
        watch(processors(), at: now)
        let isLate = isRecent(lastDelay, at: now) && !isRecent(lastBusy, at: now)
        guard isRecent(lastLoss, at: now) || isLate else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        return now - start >= Self.patience
    }

    private mutating func watch(_ times: CPUTimes?, at now: Double) {
        defer { lastTimes = times }
        guard let times, let lastTimes, let load = times.load(since: lastTimes) else { return }
        if load >= Self.busy { lastBusy = now }
    }

    private func isRecent(_ time: Double?, at now: Double) -> Bool {
        time.map { now - $0 < 2 * Self.patience } ?? false
    }
}
