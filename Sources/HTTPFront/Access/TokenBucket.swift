package import NIOCore

/// The refill rate and the capacity of token buckets.
package struct TokenRate {
    /// The time in nanoseconds in which one token is added.
    fileprivate let interval: Double
    /// The time in nanoseconds in which an empty bucket becomes full.
    fileprivate let fillTime: Int64

    /// Creates a rate of `perSecond` tokens a second, of which a bucket holds at most `capacity`.
    package init(perSecond: Double, capacity: Double) {
        interval = 1e9 / perSecond
        fillTime = Int64(capacity * interval)
    }
}

/// A token bucket: limits the average rate, and permits a burst after a pause.
///
/// Its state is a single number to save memory, because each connection of a server has several buckets.
package struct TokenBucket {
    /// The time at which the tokens began to accumulate, in nanoseconds of uptime; in the future if there is a deficit.
    private var emptyTime = Int64.min

    package init() {}

    /// Takes one token; false if there is none.
    package mutating func take(of rate: TokenRate, at now: NIODeadline) -> Bool {
        let time = fill(of: rate, at: now)
        guard Double(time - emptyTime) >= rate.interval else { return false }
        emptyTime += Int64(rate.interval)
        return true
    }

    /// Takes `count` tokens, if necessary with a deficit, unless the bucket is empty; false if it is empty.
    package mutating func take(_ count: Int, of rate: TokenRate, at now: NIODeadline) -> Bool {
        guard fill(of: rate, at: now) > emptyTime else { return false }
        emptyTime += Int64(Double(count) * rate.interval)
        return true
    }

    /// Determines whether the bucket is full.
    package func isFull(of rate: TokenRate, at now: NIODeadline) -> Bool {
        emptyTime <= Self.nanoseconds(now) - rate.fillTime
    }

    /// Removes the tokens in excess of the capacity, and returns the current time in nanoseconds of uptime.
    private mutating func fill(of rate: TokenRate, at now: NIODeadline) -> Int64 {
        let time = Self.nanoseconds(now)
        emptyTime = max(emptyTime, time - rate.fillTime)
        return time
    }

    private static func nanoseconds(_ time: NIODeadline) -> Int64 {
        (time - .uptimeNanoseconds(0)).nanoseconds
    }
}
