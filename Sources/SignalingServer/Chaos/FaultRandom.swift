internal import Basics

/// A pseudo-random number generator for one event; its numbers depend only on the seed and the event.
struct FaultRandom {
    private var generator: SeededGenerator

    /// Creates the generator for one event, which the values of `event` identify.
    init(seed: UInt64, _ event: UInt64...) {
        generator = SeededGenerator(seed: seed)
        for part in event { generator = SeededGenerator(seed: generator.next() ^ part) }
    }

    /// Returns true with the probability `chance`.
    mutating func falls(_ chance: Double) -> Bool { Double(generator.next() >> 11) * 0x1p-53 < chance }

    /// Draws a number in `0..<count`; `count` is at least 1.
    mutating func number(below count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }
}
