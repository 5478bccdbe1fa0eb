/// How long to wait before each attempt to connect again, as the official clients do.
///
/// Attempt *n* waits `initial`·2ⁿ, varied by up to `randomization` of it, at most `maximum`.
public struct Backoff: Hashable, Sendable {
    /// The first wait before variation.
    public var initial: Duration
    /// The longest wait.
    public var maximum: Duration
    /// How much a wait varies, 0…1.
    public var randomization: Double

    /// How many waits have been taken since the last reset.
    private var attempts = 0

    /// The official defaults: 1 s, 5 s, ± 50 %.
    public init(
        initial: Duration = .seconds(1),
        maximum: Duration = .seconds(5),
        randomization: Double = 0.5
    ) {
        self.initial = initial
        self.maximum = maximum
        self.randomization = randomization
    }

    /// The next wait, for a random number in 0..<1.
    package mutating func next(random: Double) -> Duration {
        // 2^30 s is beyond every maximum that has a meaning; larger powers would overflow Duration.
        let wait = initial * (1 << min(attempts, 30))
        attempts += 1
        let deviation = wait * (random * randomization)
        let isShorter = Int(random * 10).isMultiple(of: 2)
        return min(isShorter ? wait - deviation : wait + deviation, maximum)
    }

    /// Begins again with the first wait.
    package mutating func reset() { attempts = 0 }
}
