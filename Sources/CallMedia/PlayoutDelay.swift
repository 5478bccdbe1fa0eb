/// When sound that came over a network is played: as long after its own time as the latest of it came.
///
/// A loudspeaker that plays at given times, as echo cancellation needs, would leave out what comes late.
/// Nanoseconds all through.
struct PlayoutDelay: Hashable, Sendable {
    /// How much later than the delay sound may come: what the loudspeaker's pipeline has in hand.
    static let slack: UInt64 = 30_000_000
    /// A delay that nothing has needed for so long is given up.
    private static let memory: UInt64 = 10_000_000_000
    /// Nobody talks across more; what comes later is played when it comes, and the delay begins anew.
    private static let longest: UInt64 = 2_000_000_000

    private(set) var delay: UInt64?
    /// The latest since `since`.
    private var latest: UInt64 = 0
    private var since: UInt64 = 0

    /// The time to play sound of `time` that arrives at `now`.
    mutating func playTime(of time: UInt64, arrivingAt now: UInt64) -> UInt64 {
        guard time <= now else { return time }
        let lateness = now - time
        guard lateness <= Self.longest else {
            delay = nil
            return now
        }
        let current = delay ?? lateness
        if lateness > current + Self.slack {
            adopt(lateness, at: now)
        } else {
            latest = max(latest, lateness)
            if delay == nil || now > since + Self.memory { adopt(shrunk(current), at: now) }
        }
        return time + (delay ?? lateness)
    }

    /// What would have been enough, where that is clearly less.
    private func shrunk(_ current: UInt64) -> UInt64 {
        current > latest + Self.slack ? latest : current
    }

    private mutating func adopt(_ delay: UInt64, at now: UInt64) {
        (self.delay, latest, since) = (delay, 0, now)
    }
}
