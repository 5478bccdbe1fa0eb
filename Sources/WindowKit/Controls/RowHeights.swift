/// The heights of a list's rows; those of rows that were never shown are estimates.
struct RowHeights: Sendable {
    private var heights: [Double]
    /// The distance of each row from the top of the list, followed by the distance of the end of the list.
    private var tops: [Double]
    /// The number of leading `tops` that are up to date.
    private var validTops = 1
    private let estimate: Double

    /// Creates rows that have not been measured.
    init(count: Int, estimate: Double) {
        self.estimate = estimate
        heights = Array(repeating: estimate, count: count)
        tops = Array(repeating: 0, count: count + 1)
    }

    var count: Int { heights.count }

    func height(of row: Int) -> Double { heights[row] }

    mutating func measure(_ row: Int, _ height: Double) {
        guard heights[row] != height else { return }
        heights[row] = height
        validTops = min(validTops, row + 1)
    }

    /// Adds rows at the end, or removes some from there.
    mutating func resize(to count: Int) {
        guard count != self.count else { return }
        if count < self.count {
            heights.removeLast(self.count - count)
        } else {
            heights += Array(repeating: estimate, count: count - self.count)
        }
        tops = Array(tops.prefix(count + 1)) + Array(repeating: 0, count: max(0, count + 1 - tops.count))
        validTops = min(validTops, count + 1)
    }

    /// Adds rows before the first one.
    mutating func prepend(_ count: Int) {
        heights.insert(contentsOf: repeatElement(estimate, count: count), at: 0)
        tops = Array(repeating: 0, count: heights.count + 1)
        validTops = 1
    }

    /// Returns the height of all rows.
    mutating func total() -> Double { top(of: count) }

    /// Returns the distance of a row from the top of the list; `count` stands for the end of the list.
    mutating func top(of row: Int) -> Double {
        while validTops <= row {
            tops[validTops] = tops[validTops - 1] + heights[validTops - 1]
            validTops += 1
        }
        return tops[row]
    }

    /// Returns the row at a distance from the top of the list, or the nearest one; the list must not be
    /// empty.
    mutating func row(at distance: Double) -> Int {
        _ = total()
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if tops[middle] <= distance { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
