/// The waits before reconnection attempts, computed as in the official clients of Socket.IO.
///
/// Attempt *n*, counted from 0, waits `initial`·2ⁿ. The wait is varied by a random fraction of up to ± `randomization`
/// and limited to `maximum`.
public struct Backoff: Hashable, Sendable {
    /// The first wait, before variation.
    public var initial: Duration
    /// The longest wait.
    public var maximum: Duration
    /// The maximum relative variation of a wait, 0…1.
    public var randomization: Double

    /// The number of waits since the last reset.
    private var attempts = 0

    /// Creates a backoff with the defaults of the official clients: 1 s, 5 s, ± 50 %.
    public init(
        initial: Duration = .seconds(1),
        maximum: Duration = .seconds(5),
        randomization: Double = 0.5
    ) {
        self.initial = initial
        self.maximum = maximum
        self.randomization = randomization
    }

    /// Computes the next wait from a random number in 0..<1.
    package mutating func next(random: Double) -> Duration {
        // 2^30 s exceeds every sensible maximum; larger powers would overflow Duration.
        let wait = initial * (1 << min(attempts, 30))
        attempts += 1
        let deviation = wait * (random * randomization)
        let isShorter = Int(random * 10).isMultiple(of: 2)
        return min(isShorter ? wait - deviation : wait + deviation, maximum)
    }

    /// Resets the next wait to the first one.
    package mutating func reset() { attempts = 0 }
}
