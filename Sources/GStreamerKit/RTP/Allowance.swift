/// A token bucket: tokens are added over time, up to a maximum, and are used up.
package struct Allowance: Sendable {
    private let maximum: Double
    private let perSecond: Double
    private var tokens: Double
    /// The time of the last call in nanoseconds; nil before the first one.
    private var latest: UInt64?

    /// Creates a full allowance.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of tokens.
    ///   - perSecond: The number of tokens that are added in each second.
    package init(maximum: Double, perSecond: Double) {
        (self.maximum, self.perSecond, tokens) = (maximum, perSecond, maximum)
    }

    /// Adds `count` tokens immediately, up to the maximum.
    mutating func add(_ count: Double) { tokens = min(maximum, tokens + count) }

    /// Removes tokens at this time in nanoseconds; returns false and removes none if there are too few.
    package mutating func take(_ count: Double, at now: UInt64) -> Bool {
        let former = latest ?? now
        latest = max(former, now)
        add(Double(now > former ? now - former : 0) / 1_000_000_000 * perSecond)
        guard count <= tokens else { return false }
        tokens -= count
        return true
    }
}
