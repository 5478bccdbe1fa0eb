import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Playout times of video")
struct PlayoutTests {
    private static let millisecond: UInt64 = 1_000_000
    private static let frameDuration = 33 * millisecond

    /// Returns the due times of frames that are 33 ms apart and arrive when they are captured.
    private static func due(_ playout: Playout, _ numbers: Range<UInt64>) -> [UInt64] {
        numbers.map { playout.due($0 * frameDuration, now: $0 * frameDuration) }
    }

    @Test("A frame is due after a constant delay, or immediately if it is late")
    func steady() {
        let playout = Playout(delay: 20)
        #expect(playout.due(Self.frameDuration, now: Self.frameDuration) == 53 * Self.millisecond)
        #expect(playout.due(2 * Self.frameDuration, now: 70 * Self.millisecond) == 86 * Self.millisecond)
        #expect(playout.due(3 * Self.frameDuration, now: 400 * Self.millisecond) == 400 * Self.millisecond)
    }

    @Test("The delay changes by at most a tenth of the elapsed time", arguments: [(20, 300), (300, 20)])
    func gradual(_ from: Int, _ to: Int) {
        let playout = Playout(delay: from)
        playout.set(delay: to)
        let due = Self.due(playout, 1..<200)
        let steps = zip(due, due.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { (29 * Self.millisecond...37 * Self.millisecond).contains($0) })
        #expect(due.last == 199 * Self.frameDuration + UInt64(to) * Self.millisecond)
    }

    @Test(
        "An implausible timestamp causes no delay",
        arguments: [.max, .max - 1, 60_000_000_000] as [UInt64]
    )
    func strange(_ time: UInt64) {
        let playout = Playout(delay: 20)
        #expect(playout.due(time, now: Self.frameDuration) == Self.frameDuration)
        #expect(playout.due(Self.frameDuration, now: Self.frameDuration) == 53 * Self.millisecond)
    }

    @Test("After a pause, the delay changes by at most a tenth of a second")
    func pause() {
        let playout = Playout(delay: 20)
        playout.set(delay: 300)
        _ = playout.due(0, now: 0)
        let time = 3600 * 1000 * Self.millisecond
        #expect(playout.due(time, now: time) == time + 120 * Self.millisecond)
    }
}
