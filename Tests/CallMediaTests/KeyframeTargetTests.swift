import Basics
import CallCore
import GStreamerKit
import MediaKit
import Testing

@testable import CallMedia

@Suite("Keyframe requests of the peer", .timeLimit(.minutes(4)))
struct KeyframeTargetTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test("At most three keyframe requests a second are forwarded")
    func flood() async {
        let stream = OutgoingStream(kind: .video, codec: .vp8, from: SampleHub(), encoder: nil)
        let target = KeyframeTarget(stream)
        let forwarded = (0..<UInt64(10_000)).filter { target.makeKeyframe(at: $0 * Self.millisecond) }
        #expect((32...33).contains(forwarded.count))
        #expect(forwarded.prefix(3) == [0, 1, 2])
        await stream.close()
    }

    @Test("A keyframe request that is too early is forwarded once, with a later frame")
    func early() async {
        let stream = OutgoingStream(kind: .video, codec: .vp8, from: SampleHub(), encoder: nil)
        let target = KeyframeTarget(stream)
        let forwarded = (0..<UInt64(4)).map { target.makeKeyframe(at: $0 * Self.millisecond) }
        #expect(forwarded == [true, true, true, false])
        let frames = stride(from: UInt64(33), to: 1000, by: 33).filter {
            target.resume(at: $0 * Self.millisecond)
        }
        #expect(frames == [363])
        await stream.close()
    }

    @Test("Keyframe requests at intervals of half a second are all forwarded immediately")
    func pause() async {
        let stream = OutgoingStream(kind: .video, codec: .vp8, from: SampleHub(), encoder: nil)
        let target = KeyframeTarget(stream)
        for second in 0..<UInt64(100) { #expect(target.makeKeyframe(at: 500 * second * Self.millisecond)) }
        await stream.close()
    }
}
