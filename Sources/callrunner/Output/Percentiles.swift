internal import SocketIO

/// Where the values of many calls lie, by nearest rank.
struct Percentiles: Hashable {
    private let sorted: [Double]

    /// What is no number is left out; nil where nothing is left.
    init?(_ values: some Sequence<Double>) {
        let sorted = values.filter(\.isFinite).sorted()
        guard !sorted.isEmpty else { return nil }
        self.sorted = sorted
    }

    /// The smallest value that `percent` of all, 0 to 100, do not exceed.
    subscript(percent: Int) -> Double {
        let rank = (sorted.count * min(max(percent, 0), 100) + 99) / 100
        return sorted[max(1, rank) - 1]
    }

    static let told = [0, 50, 90, 99, 100]

    /// With `min` and `max` for the ends.
    var json: JSON {
        let names = [0: "min", 100: "max"]
        var object: JSONObject = [:]
        for percent in Self.told { object[names[percent] ?? "p\(percent)"] = .number(rounded(percent)) }
        return .object(object)
    }

    /// One row of a table, of the same columns as `json`.
    var cells: [String] { Self.told.map { StatusText.trim(rounded($0)) } }

    private func rounded(_ percent: Int) -> Double { (self[percent] * 100).rounded() / 100 }
}
