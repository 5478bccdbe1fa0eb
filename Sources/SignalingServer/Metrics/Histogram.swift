/// How often times fell into which range, as a Prometheus histogram counts them.
struct Histogram: Hashable, Sendable {
    /// The upper bounds of the ranges, each included, in nanoseconds and rising; above the last is one more.
    let bounds: [Int]
    /// Of each range alone, not cumulated.
    private(set) var counts: [Int]
    /// In nanoseconds.
    private(set) var sum = 0

    init(bounds: [Int]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    var count: Int { counts.reduce(0, +) }

    /// Counts a time; a negative one, of a clock that went back, as none.
    mutating func observe(nanoseconds: Int) {
        let nanoseconds = max(0, nanoseconds)
        var range = 0
        while range < bounds.count, bounds[range] < nanoseconds { range += 1 }
        counts[range] += 1
        sum &+= nanoseconds
    }

    /// From ten microseconds to a second: what passes within a process.
    static let relay = Histogram(bounds: [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
        25_000_000, 50_000_000, 100_000_000, 250_000_000, 1_000_000_000,
    ])

    /// From a tenth of a millisecond to ten seconds: what may wait for others.
    static let join = Histogram(bounds: [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
        100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
    ])
}
