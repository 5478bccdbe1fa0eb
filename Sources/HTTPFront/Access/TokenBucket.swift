internal import NIOCore

/// A token bucket: limits the average rate, and permits a burst after a pause.
struct TokenBucket {
    /// The number of tokens added per second.
    let rate: Double
    /// The maximum number of tokens.
    let capacity: Double
    private var tokens: Double
    private var time: NIODeadline

    /// Creates a full bucket.
    init(rate: Double, capacity: Double, at now: NIODeadline) {
        self.rate = rate
        self.capacity = capacity
        tokens = capacity
        time = now
    }

    /// Takes one token; false if there is none.
    mutating func take(at now: NIODeadline) -> Bool {
        fill(at: now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Takes `count` tokens if there is at least one, leaving a deficit to be refilled if necessary; false if
    /// there is none.
    mutating func take(_ count: Int, at now: NIODeadline) -> Bool {
        fill(at: now)
        guard tokens > 0 else { return false }
        tokens -= Double(count)
        return true
    }

    /// Determines whether the bucket is full.
    mutating func isFull(at now: NIODeadline) -> Bool {
        fill(at: now)
        return tokens >= capacity
    }

    private mutating func fill(at now: NIODeadline) {
        guard now > time else { return }
        let seconds = Double((now - time).nanoseconds) / 1e9
        tokens = min(capacity, tokens + seconds * rate)
        time = now
    }
}
