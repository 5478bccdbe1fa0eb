/// A detector of links too slow for a stream that is sent without re-encoding.
///
/// Delays also grow while the CPU is busy, and re-encoding would load it even more. Therefore, only packet
/// losses are considered while the CPU is busy. The detector has no clock: callers pass all times, in
/// seconds.
package struct NarrowLink: Hashable, Sendable {
    /// The number of seconds for which a link must be too slow before it is reported.
    private static let confirmationTime = 3.0
    /// The fraction of lost packets and the round-trip time in seconds at which a link may be too slow.
    private static let trouble = (loss: 0.01, roundTrip: 0.5)
    /// The CPU load, from 0 to 1, at which the CPU counts as busy.
    private static let busy = 0.8

    private var lastLoss: Double?
    private var lastDelay: Double?
    private var lastBusy: Double?
    private var since: Double?
    /// The CPU times of the previous measurement; nil while the estimated capacity suffices for the stream.
    private var lastTimes: CPUTimes?

    package init() {}

    /// Handles the fraction of lost packets and the round-trip time in seconds from a receiver report; nil
    /// stands for an unknown value.
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
    /// - Returns: whether the link has been too slow for at least three seconds.
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
