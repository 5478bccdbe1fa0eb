/// The number of durations in each range, as in a Prometheus histogram.
package struct Histogram: Hashable, Sendable {
    /// The inclusive upper bounds of the ranges in nanoseconds, ascending; a further range has no upper
    /// bound.
    package let bounds: [Int]
    /// The number of durations in each range, not cumulative.
    package private(set) var counts: [Int]
    /// The sum of the durations in nanoseconds.
    package private(set) var sum = 0

    package init(bounds: [Int]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
    }

    package var count: Int { counts.reduce(0, +) }

    /// Counts a duration; a negative one, caused by a clock that was set back, counts as zero.
    package mutating func observe(nanoseconds: Int) {
        let nanoseconds = max(0, nanoseconds)
        var range = 0
        while range < bounds.count, bounds[range] < nanoseconds { range += 1 }
        counts[range] += 1
        sum &+= nanoseconds
    }

    /// An empty histogram with bounds from 10 µs to 1 s, for relaying an event within the process.
    package static let relay = Histogram(bounds: [
        10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
        25_000_000, 50_000_000, 100_000_000, 250_000_000, 1_000_000_000,
    ])

    /// An empty histogram with bounds from 0.1 ms to 10 s, for a join, which may wait for other clients or
    /// servers.
    package static let join = Histogram(bounds: [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
        100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 10_000_000_000,
    ])
}
