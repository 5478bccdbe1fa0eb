import CallCore

/// A link with a queue in virtual time, a sender that fills the target in pictures, and a peer that reports each.
struct SimulatedLink {
    /// Bits per second from this second on.
    struct Change {
        var at: Double
        var capacity: Double
    }

    /// What the estimator said at one moment, and what the link carried.
    struct Moment {
        var time: Double
        var target: Double
        var capacity: Double
    }

    var changes: [Change]
    /// One way, in seconds.
    var delay = 0.025
    /// Of random packets, from 0 to 1.
    var loss = 0.0
    /// Seconds of data that the queue holds.
    var queue = 0.5
    /// Of pictures per second.
    var rate = 30.0
    var generator: SeededGenerator

    init(_ changes: [Change], seed: UInt64) {
        self.changes = changes
        generator = SeededGenerator(seed: seed)
    }

    /// The estimator's word after each picture.
    mutating func run(_ estimator: inout BandwidthEstimator, seconds: Double) -> [Moment] {
        estimator.roundTrip = 2 * delay
        var free = 0.0
        var inFlight: [(due: Double, fates: [PacketFate])] = []
        var moments: [Moment] = []
        for picture in 0..<Int(seconds * rate) {
            let now = Double(picture) / rate
            let capacity = changes.last { $0.at <= now }?.capacity ?? 1
            let bytes = Double(estimator.target) / 8 / rate * Double.random(in: 0.7...1.3, using: &generator)
            let fates = send(Int(bytes), at: now, capacity, &free)
            inFlight.append(((fates.compactMap(\.arrived).max().map { $0 - 1000 } ?? now) + delay, fates))
            while let first = inFlight.first, first.due <= now {
                estimator.handle(first.fates, at: now)
                inFlight.removeFirst()
            }
            estimator.pass(to: now)
            moments.append(Moment(time: now, target: Double(estimator.target), capacity: capacity))
        }
        return moments
    }

    private mutating func send(
        _ bytes: Int,
        at now: Double,
        _ capacity: Double,
        _ free: inout Double
    ) -> [PacketFate] {
        var (fates, rest, sent): ([PacketFate], Int, Double) = ([], bytes, now)
        while rest > 0 {
            let size = min(rest, 1200)
            rest -= size
            let begins = max(sent, free)
            var fate = PacketFate(sent: sent, arrived: nil, size: size)
            if Double.random(in: 0..<1, using: &generator) >= loss, begins - sent <= queue {
                free = begins + Double(size * 8) / capacity
                fate.arrived = free + delay + 1000  // the peer's clock is another
            }
            fates.append(fate)
            sent += 0.0002
        }
        return fates
    }
}

extension [SimulatedLink.Moment] {
    /// The longest time, in seconds, for which the target stayed above this share of the capacity.
    func longestAbove(_ share: Double) -> Double {
        var (longest, began): (Double, Double?) = (0, nil)
        for moment in self {
            guard moment.target > share * moment.capacity else {
                began = nil
                continue
            }
            began = began ?? moment.time
            longest = Swift.max(longest, moment.time - (began ?? moment.time))
        }
        return longest
    }

    /// When, from `start` on, the target first lies within these shares of the capacity.
    func first(from start: Double, within shares: ClosedRange<Double>) -> Double? {
        first { $0.time >= start && shares.contains($0.target / $0.capacity) }?.time
    }
}
