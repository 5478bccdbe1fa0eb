import CGStreamer
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Durations of buffers", .timeLimit(.minutes(4)))
@MediaActor
struct DurationTests {
    @Test("Buffers without a duration get the given duration, and other buffers keep theirs")
    func filled() async throws {
        let pipeline = try Pipeline(
            parsing: "appsrc name=in format=time ! identity name=middle ! appsink name=out sync=false",
            name: "durations"
        )
        pipeline.element(named: "middle")?.pad("sink")?.fillDurations(with: 7)
        let durations = Mutex<[UInt64?]>([])
        let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
        _ = hub.attach { sample in durations.withLock { $0.append(sample.duration) } }
        let source = AppSource(try #require(pipeline.element(named: "in")))
        try pipeline.setState(.playing)
        let caps = try Caps("application/x-test")
        for duration in [GstClockTime.max, 0, 5] {
            let buffer = try #require(gst_buffer_new_allocate(nil, 16, nil))
            (buffer.pointee.pts, buffer.pointee.duration) = (0, duration)
            source.push(MediaSample(taking: buffer, caps: caps))
        }
        source.endOfStream()
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        #expect(durations.withLock { $0 } == [7, 7, 5])
    }
}
