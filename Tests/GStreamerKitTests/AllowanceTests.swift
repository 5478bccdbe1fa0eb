import Testing

@testable import GStreamerKit

@Suite("Allowances")
struct AllowanceTests {
    private static let second: UInt64 = 1_000_000_000

    /// Takes each number of tokens in turn, and returns whether they were there.
    private static func take(_ counts: [Double], from allowance: inout Allowance, at seconds: UInt64)
        -> [Bool]
    {
        counts.map { allowance.take($0, at: seconds * second) }
    }

    @Test("Tokens are consumed and restored over time, up to the maximum")
    func tokens() {
        var allowance = Allowance(maximum: 3, perSecond: 2)
        let taken = [
            Self.take([1, 1, 1, 1, 1], from: &allowance, at: 7), Self.take([2, 1], from: &allowance, at: 8),
            Self.take([4, 3, 1], from: &allowance, at: 107),
        ]
        #expect(taken == [[true, true, true, false, false], [true, false], [false, true, false]])
    }

    @Test("Tokens that are added at once do not exceed the maximum")
    func added() {
        var allowance = Allowance(maximum: 3, perSecond: 0)
        allowance.add(100)
        let first = Self.take([4, 3], from: &allowance, at: 0)
        allowance.add(1)
        let second = Self.take([1, 1], from: &allowance, at: 0)
        #expect([first, second] == [[false, true], [true, false]])
    }

    @Test("A clock that goes backwards adds no tokens")
    func backwards() {
        var allowance = Allowance(maximum: 1, perSecond: 1)
        let taken = [10, 0, 10, 11].map { Self.take([1], from: &allowance, at: $0) }
        #expect(taken == [[true], [false], [false], [true]])
    }
}
