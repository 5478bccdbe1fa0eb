/// The delays from user input to the frame that shows its effect, in milliseconds.
package struct InputDelays: Hashable, Sendable {
    /// The largest delay that is distinguished; longer delays are counted as this one.
    private static let longest = 2000
    private var counts = [Int](repeating: 0, count: longest + 1)
    /// The number of delays.
    package private(set) var count = 0

    package mutating func add(_ milliseconds: Int) {
        counts[min(max(0, milliseconds), Self.longest)] += 1
        count += 1
    }

    /// Returns the delay at this percentile, 0…100, by the nearest-rank method; 0 if there are no delays.
    package func percentile(_ percent: Int) -> Int {
        let rank = max(1, (count * min(max(percent, 0), 100) + 99) / 100)
        var passed = 0
        return counts.firstIndex { number in
            passed += number
            return passed >= rank
        } ?? 0
    }
}
