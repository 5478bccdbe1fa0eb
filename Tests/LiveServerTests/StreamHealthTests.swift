import Basics
import LiveCore
import Testing

@testable import LiveServer

@Suite("Health of published streams")
struct StreamHealthTests {
    private let start = Timestamp(milliseconds: 1_700_000_000_000)

    @Test("Rates are those of the last five seconds, and are computed once a second")
    func rates() {
        var health = StreamHealth()
        var found: [StreamHealth.Rates?] = []
        for second in 0..<20 {
            // The stream is twice as fast in its second half.
            for frame in 0..<(second < 10 ? 25 : 50) {
                health.count(frameAt: UInt32(second * 1000 + frame * 20), isKeyframe: frame == 0, bytes: 1000)
            }
            health.count(bytes: 5000)
            found.append(health.rates(at: start + .seconds(second)))
            #expect(health.rates(at: start + .seconds(second) + .milliseconds(500)) == nil)
        }
        #expect(found[0] == nil)
        #expect(found[9] == StreamHealth.Rates(bitrate: 240_000, frameRate: 25, keyframeDistance: 1000))
        #expect(found[19] == StreamHealth.Rates(bitrate: 440_000, frameRate: 50, keyframeDistance: 1000))
    }

    @Test("The number of viewers is the largest number of loads of a stored segment")
    func viewers() {
        let channel = LiveChannel("ID")
        func add() { channel.add(LiveSegment([1], .seconds(1), date: start)) }
        for _ in 0..<3 { add() }
        let first = Int(start.milliseconds / 1000)
        #expect(channel.viewers == 0)
        for number in [first, first + 1, first + 1, first + 2, first + 3] { _ = channel.segment(number) }
        #expect(channel.viewers == 2)
        for _ in 0..<20 { add() }
        #expect(channel.viewers == 0)
    }
}
