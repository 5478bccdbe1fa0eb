internal import Basics

/// A generator of pseudo-random numbers that depend only on a seed and a subject.
struct FaultRandom {
    private var generator: SeededGenerator

    /// Creates the generator for one event, which the values of `subject` identify.
    init(seed: UInt64, _ subject: UInt64...) {
        generator = SeededGenerator(seed: seed)
        for part in subject { generator = SeededGenerator(seed: generator.next() ^ part) }
    }

    /// Returns true with the probability `chance`.
    mutating func falls(_ chance: Double) -> Bool { Double(generator.next() >> 11) * 0x1p-53 < chance }

    /// Draws a number in `0..<count`; `count` is at least 1.
    mutating func number(below count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }
}
