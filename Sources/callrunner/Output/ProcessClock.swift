/// The monotonic clock that `elapsed` counts on.
enum ProcessClock {
    /// Set by the first access, which `main` makes at once.
    static let start = ContinuousClock.now

    /// Seconds since the process started, to the millisecond.
    static var elapsed: Double {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return (seconds * 1000).rounded() / 1000
    }
}
