/// The pauses between attempts to reopen a lost audio device.
struct Backoff {
    private var pause = Duration.seconds(1)

    /// Returns the next pause: 1, 2, 4 seconds, then always 8 seconds.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, .seconds(8)) }
        return pause
    }
}
