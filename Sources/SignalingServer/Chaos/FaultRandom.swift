internal import CallCore

/// Numbers that look random and follow from where they begin alone.
struct FaultRandom {
    private var generator: SeededGenerator

    /// Dice for one decision, which depends on nothing but these.
    init(seed: UInt64, _ subject: UInt64...) {
        generator = SeededGenerator(seed: seed)
        for part in subject { generator = SeededGenerator(seed: generator.next() ^ part) }
    }

    /// True with that probability.
    mutating func falls(_ chance: Double) -> Bool { Double(generator.next() >> 11) * 0x1p-53 < chance }

    /// One of 0 to below `count`, which is at least one.
    mutating func number(below count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }
}
