internal import NIOCore

/// Allows so many things a second on the average, and some more at once after a rest.
struct TokenBucket {
    /// How many come in a second.
    let rate: Double
    /// How many there are after a long rest.
    let capacity: Double
    private var tokens: Double
    private var time: NIODeadline

    /// A full bucket.
    init(rate: Double, capacity: Double, at now: NIODeadline) {
        self.rate = rate
        self.capacity = capacity
        tokens = capacity
        time = now
    }

    /// Takes a token; false where there is none.
    mutating func take(at now: NIODeadline) -> Bool {
        fill(at: now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Takes so many tokens where there are any at all; those that are missing have to come before the next are taken.
    mutating func take(_ count: Int, at now: NIODeadline) -> Bool {
        fill(at: now)
        guard tokens > 0 else { return false }
        tokens -= Double(count)
        return true
    }

    /// Whether nothing has been taken that has not come again.
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
