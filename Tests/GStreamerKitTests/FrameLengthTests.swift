import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("The length of incoming frames", .timeLimit(.minutes(1)))
@MediaActor
struct FrameLengthTests {
    @Test("Packets beyond the limit are dropped up to the last one of the frame; the next frame passes")
    func limit() {
        var frame = FrameLength(maximum: 100)
        let packets = [
            (60, false), (40, false), (1, false), (60, true), (60, false), (40, true), (101, true),
        ]
        let admitted = packets.map { frame.admits($0.0, isLast: $0.1) }
        #expect(admitted == [true, true, false, false, true, true, false])
    }

    /// Counts the frames that a depayloader delivers if a frame may have this many bytes.
    private func frames(_ maximum: Int) async throws -> Int {
        let pipeline = try Pipeline(
            parsing: "videotestsrc num-buffers=6 ! video/x-raw,width=320,height=240 ! vp8enc deadline=1 "
                + "! rtpvp8pay mtu=200 ! rtpvp8depay name=depayloader ! appsink name=out sync=false",
            name: "frames"
        )
        try #require(pipeline.element(named: "depayloader")?.pad("sink")).limitFrames(to: maximum)
        let count = Mutex(0)
        _ = AppSink(try #require(pipeline.element(named: "out"))).hub.attach { _ in count.withLock { $0 += 1 }
        }
        try pipeline.setState(.playing)
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        return count.withLock { $0 }
    }

    @Test("A depayloader delivers the frames within the limit, and none above it")
    func depayloader() async throws {
        let all = try await frames(1_000_000)
        let none = try await frames(100)
        #expect(all == 6)
        #expect(none == 0)
    }
}
