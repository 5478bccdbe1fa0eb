import Basics
import LiveCore
import Testing

@testable import LiveMedia

@Suite("The frames of a playing stream")
struct FrameWatchTests {
    private let size = Resolution(width: 640, height: 360)

    @Test("The first frame reports its codec, even if it arrives before the message with the codec's name")
    func firstFrame() {
        let frames = FrameWatch(isLive: true)
        let format = LiveFormat(resolution: size, codec: "H264", isLive: true)
        #expect(frames.add(size, codec: "H.264 / AVC") == .started(format))
        // The message brings nothing new.
        #expect(frames.name(video: "H.264 / AVC", audio: nil) == nil)
    }

    @Test("A codec named after the first frame, or a new size, changes the format")
    func change() {
        let frames = FrameWatch(isLive: false)
        let unnamed = LiveFormat(resolution: size, codec: "", isLive: false)
        #expect(frames.add(size, codec: nil) == .started(unnamed))
        let named = LiveFormat(resolution: size, codec: "VP9", isLive: false)
        #expect(frames.name(video: "VP9", audio: nil) == .changed(named))
        #expect(frames.add(size, codec: "H.264") == nil)
        let small = Resolution(width: 320, height: 180)
        #expect(
            frames.add(small, codec: nil)
                == .changed(LiveFormat(resolution: small, codec: "VP9", isLive: false))
        )
    }
}
