/// An enumeration whose cases a `Tally` counts, as the values of one Prometheus label.
package protocol TallyKind: CaseIterable, RawRepresentable<Int>, Sendable where AllCases == [Self] {
    /// The label's name, the same for all cases.
    static var labelName: String { get }
    /// The label's value.
    var label: String { get }
}

/// A count for each case of an enumeration, whose raw values must be 0, 1, 2 and so on.
package struct Tally<Kind: TallyKind>: Hashable, Sendable {
    private var numbers = [Int](repeating: 0, count: Kind.allCases.count)

    package init() {}

    package subscript(kind: Kind) -> Int {
        get { numbers[kind.rawValue] }
        set { numbers[kind.rawValue] = newValue }
    }

    package var total: Int { numbers.reduce(0, +) }
}
