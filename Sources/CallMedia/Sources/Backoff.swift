/// The pauses before a lost audio device is tried again.
struct Backoff {
    private var pause = Duration.seconds(1)

    /// Returns 1, 2, 4, and from then on 8 seconds.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, .seconds(8)) }
        return pause
    }
}
