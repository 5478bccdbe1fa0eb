/// The kinds that a `Tally` counts: the cases are the values of one Prometheus label.
protocol TallyKind: CaseIterable, RawRepresentable<Int>, Sendable where AllCases == [Self] {
    /// The label's name, the same for all cases.
    static var labelName: String { get }
    /// The label's value.
    var label: String { get }
}

/// A number for each case of an enumeration whose raw values count up from 0.
struct Tally<Kind: TallyKind>: Hashable, Sendable {
    private var numbers = [Int](repeating: 0, count: Kind.allCases.count)

    subscript(kind: Kind) -> Int {
        get { numbers[kind.rawValue] }
        set { numbers[kind.rawValue] = newValue }
    }

    var total: Int { numbers.reduce(0, +) }
}
