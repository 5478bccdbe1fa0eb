/// A detector of links too slow for a stream that is sent without re-encoding.
///
/// Delays alone also grow on a busy machine, which an encoder would make busier still: there, only losses
/// count. A value without a clock: times are passed in, in seconds.
package struct NarrowLink: Hashable, Sendable {
    /// The seconds for which the link must be too slow.
    private static let confirmationTime = 3.0
    /// The fraction of lost packets, and the round trip in seconds, above which a link may be too slow.
    private static let trouble = (loss: 0.01, roundTrip: 0.5)
    /// The CPU load from which the machine counts as busy, from 0 to 1.
    private static let busy = 0.8

    private var lastLoss: Double?
    private var lastDelay: Double?
    private var lastBusy: Double?
    private var since: Double?
    /// The last CPU times read; nil unless the link seems too slow.
    private var lastTimes: CPUTimes?

    package init() {}

    /// Handles a receiver report: the fraction of lost packets and the round trip in seconds.
    package mutating func handle(loss: Double?, roundTrip: Double?, at now: Double) {
        if (loss ?? 0) >= Self.trouble.loss { lastLoss = now }
        if (roundTrip ?? 0) >= Self.trouble.roundTrip { lastDelay = now }
    }

    /// Compares `rate` with the capacity of the link; called once a second.
    ///
    /// - Parameters:
    ///   - rate: the bit rate of the outgoing stream, in bits per second.
    ///   - target: the estimated capacity of the link, in bits per second.
    ///   - processors: the CPU times, read only if the link seems too slow; nil if they are unknown.
    ///   - now: the current time in seconds.
    /// - Returns: whether the rate has been too high for a while.
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
        return now - start >= Self.confirmationTime
    }

    private mutating func watch(_ times: CPUTimes?, at now: Double) {
        defer { lastTimes = times }
        guard let times, let lastTimes, let load = times.load(since: lastTimes) else { return }
        if load >= Self.busy { lastBusy = now }
    }

    private func isRecent(_ time: Double?, at now: Double) -> Bool {
        time.map { now - $0 < 2 * Self.confirmationTime } ?? false
    }
}
