/// Numbers that look random and follow from where they begin alone (Steele, Lea, Flood: SplitMix64).
struct ChaosDice {
    private var state: UInt64

    /// Dice for one decision, which depends on nothing but these.
    init(seed: UInt64, _ subject: UInt64...) {
        state = seed
        for part in subject { state = next() ^ part }
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True with that probability.
    mutating func falls(_ chance: Double) -> Bool { Double(next() >> 11) * 0x1p-53 < chance }

    /// One of 0 to below `count`, which is at least one.
    mutating func number(below count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }
}
