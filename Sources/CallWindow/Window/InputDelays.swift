/// The delays from user input to the frame that shows its effect, in milliseconds.
package struct InputDelays: Hashable, Sendable {
    /// The largest delay that is counted; longer ones count as this.
    private static let longest = 2000
    private var counts = [Int](repeating: 0, count: longest + 1)
    /// The number of delays.
    package private(set) var count = 0

    mutating func add(_ milliseconds: Int) {
        counts[min(max(0, milliseconds), Self.longest)] += 1
        count += 1
    }

    /// Computes the shortest delay that `percent` of all, 0…100, do not exceed; 0 if there are none.
    package func percentile(_ percent: Int) -> Int {
        let rank = max(1, (count * min(max(percent, 0), 100) + 99) / 100)
        var passed = 0
        return counts.firstIndex { number in
            passed += number
            return passed >= rank
        } ?? 0
    }
}
