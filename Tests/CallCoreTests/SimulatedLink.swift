import Basics
import CallCore

/// A simulated link with a queue, a sender of frames at the estimator's target bit rate, and a peer that
/// sends feedback for each frame.
struct SimulatedLink {
    /// A change of the link's capacity to `capacity` bits per second after `at` seconds.
    struct Change {
        var at: Double
        var capacity: Double
    }

    /// The target of the estimator and the capacity of the link at one moment.
    struct Moment {
        var time: Double
        var target: Double
        var capacity: Double
    }

    var changes: [Change]
    /// The one-way delay in seconds.
    var delay = 0.025
    /// The fraction of packets lost at random, from 0 to 1.
    var loss = 0.0
    /// The longest time in seconds that a packet waits in the queue; later packets are dropped.
    var queue = 0.5
    /// The frame rate in frames per second.
    var rate = 30.0
    var generator: SeededGenerator

    init(_ changes: [Change], seed: UInt64) {
        self.changes = changes
        generator = SeededGenerator(seed: seed)
    }

    /// Simulates the link for `seconds`, and returns the estimator's target after each frame.
    mutating func run(_ estimator: inout BandwidthEstimator, seconds: Double) -> [Moment] {
        estimator.roundTrip = 2 * delay
        var free = 0.0
        var inFlight: [(due: Double, fates: [PacketFate])] = []
        var moments: [Moment] = []
        for frame in 0..<Int(seconds * rate) {
            let now = Double(frame) / rate
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
                fate.arrived = free + delay + 1000  // the peer's clock has another origin
            }
            fates.append(fate)
            sent += 0.0002
        }
        return fates
    }
}

extension [SimulatedLink.Moment] {
    /// Returns the longest uninterrupted time, in seconds, with a target above `share` of the capacity.
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

    /// Returns the first time from `start` on at which target divided by capacity is within `shares`.
    func first(from start: Double, within shares: ClosedRange<Double>) -> Double? {
        first { $0.time >= start && shares.contains($0.target / $0.capacity) }?.time
    }
}
