internal import Basics

/// The percentiles of a measurement over several calls, by the nearest-rank method.
struct Percentiles: Hashable {
    private let sorted: [Double]

    /// Creates the percentiles of the finite values; nil if there are none.
    init?(_ values: some Sequence<Double>) {
        let sorted = values.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return nil }
        self.sorted = sorted
    }

    /// The smallest value such that at least `percent` (0 to 100) percent of all values are not greater.
    subscript(percent: Int) -> Double {
        let rank = (sorted.count * min(max(percent, 0), 100) + 99) / 100
        return sorted[max(1, rank) - 1]
    }

    static let reported = [0, 50, 90, 99, 100]

    /// The percentiles as JSON, with `min` and `max` for the 0th and the 100th.
    var json: JSON {
        let names = [0: "min", 100: "max"]
        var object: JSONObject = [:]
        for percent in Self.reported { object[names[percent] ?? "p\(percent)"] = .number(rounded(percent)) }
        return .object(object)
    }

    /// The percentiles as the cells of a table row, in the order of `json`.
    var cells: [String] { Self.reported.map { StatusText.trim(rounded($0)) } }

    private func rounded(_ percent: Int) -> Double { (self[percent] * 100).rounded() / 100 }
}
