/// The monotonic clock for the field `elapsed`.
enum ProcessClock {
    /// The start of the process, which is set by the first access at the beginning of `main`.
    static let start = ContinuousClock.now

    /// The seconds since the start of the process, rounded to milliseconds.
    static var elapsed: Double {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return (seconds * 1000).rounded() / 1000
    }
}
