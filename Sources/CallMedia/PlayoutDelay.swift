/// When sound that came over a network is heard, as evenly as it was said, however unevenly it came.
///
/// Echo cancellation compares these times with the microphone's, and takes an echo that comes up to a hundred
/// milliseconds later for one; an even error does no harm, an uneven one does. Nanoseconds all through.
struct PlayoutDelay: Hashable, Sendable {
    /// How much later than the delay sound may come.
    static let slack: UInt64 = 30_000_000
    /// What a loudspeaker takes at least; most take less than a hundred milliseconds more.
    static let device: UInt64 = 30_000_000
    /// A delay that nothing has needed for so long is given up.
    private static let memory: UInt64 = 10_000_000_000
    /// Nobody talks across more; what comes later is played when it comes, and the delay begins anew.
    private static let longest: UInt64 = 2_000_000_000

    private(set) var delay: UInt64?
    /// The latest since `since`.
    private var latest: UInt64 = 0
    private var since: UInt64 = 0

    /// When sound of `time` that arrives at `now` is heard.
    mutating func playTime(of time: UInt64, arrivingAt now: UInt64) -> UInt64 {
        Self.device + evenTime(of: time, arrivingAt: min(now, .max - Self.device - Self.longest))
    }

    private mutating func evenTime(of time: UInt64, arrivingAt now: UInt64) -> UInt64 {
        guard time <= now else { return now }
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
