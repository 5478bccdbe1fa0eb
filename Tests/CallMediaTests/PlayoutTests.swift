import Testing

@testable import CallMedia

@Suite("When pictures are due")
struct PlayoutTests {
    private static let millisecond: UInt64 = 1_000_000
    private static let picture = 33 * millisecond

    /// When pictures are due that come 33 ms apart, each as soon as it was taken.
    private static func due(_ playout: Playout, _ numbers: Range<UInt64>) -> [UInt64] {
        numbers.map { playout.due($0 * picture, now: $0 * picture) }
    }

    @Test("A picture is due a steady while after its time, and one that is late at once")
    func steady() {
        let playout = Playout(delay: 20)
        #expect(playout.due(Self.picture, now: Self.picture) == 53 * Self.millisecond)
        #expect(playout.due(2 * Self.picture, now: 70 * Self.millisecond) == 86 * Self.millisecond)
        #expect(playout.due(3 * Self.picture, now: 400 * Self.millisecond) == 400 * Self.millisecond)
    }

    @Test("Another delay is come to by a tenth of the time that passes", arguments: [(20, 300), (300, 20)])
    func gradual(_ from: Int, _ to: Int) {
        let playout = Playout(delay: from)
        playout.set(delay: to)
        let due = Self.due(playout, 1..<200)
        let steps = zip(due, due.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { (29 * Self.millisecond...37 * Self.millisecond).contains($0) })
        #expect(due.last == 199 * Self.picture + UInt64(to) * Self.millisecond)
    }

    @Test(
        "A time out of all reason makes nobody wait",
        arguments: [.max, .max - 1, 60_000_000_000] as [UInt64]
    )
    func strange(_ time: UInt64) {
        let playout = Playout(delay: 20)
        #expect(playout.due(time, now: Self.picture) == Self.picture)
        #expect(playout.due(Self.picture, now: Self.picture) == 53 * Self.millisecond)
    }

    @Test("After a pause the delay moves by no more than a second's share")
    func pause() {
        let playout = Playout(delay: 20)
        playout.set(delay: 300)
        _ = playout.due(0, now: 0)
        let time = 3600 * 1000 * Self.millisecond
        #expect(playout.due(time, now: time) == time + 120 * Self.millisecond)
    }
}
