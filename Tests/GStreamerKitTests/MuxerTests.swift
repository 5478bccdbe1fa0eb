import CGStreamer
import Testing

@testable import GStreamerKit

@Suite("Muxers", .timeLimit(.minutes(4)))
@MediaActor
struct MuxerTests {
    private static func frame(at time: UInt64, _ caps: Caps) throws -> MediaSample {
        let buffer = try #require(gst_buffer_new_allocate(nil, 16, nil))
        gst_buffer_memset(buffer, 0, 0, 16)
        buffer.pointee.pts = GstClockTime(time)
        return MediaSample(taking: buffer, caps: caps)
    }

    @Test(
        "Matroska's muxer fails if the color space changes, unless later caps are dropped",
        arguments: [true, false]
    )
    func otherCaps(_ keepsFirst: Bool) async throws {
        let pipeline = try Pipeline(
            parsing: "appsrc name=in format=time ! matroskamux name=mux ! fakesink",
            name: "muxer"
        )
        let muxer = Muxer(try #require(pipeline.element(named: "mux")).object)
        if keepsFirst { muxer.keepFirstCaps() }
        let source = AppSource(try #require(pipeline.element(named: "in")))
        try pipeline.setState(.playing)
        for (time, color) in [(0, "bt709"), (40_000_000, "bt601")] as [(UInt64, String)] {
            let caps = try Caps("video/x-vp8,width=16,height=16,framerate=25/1,colorimetry=\(color)")
            source.push(try Self.frame(at: time, caps))
        }
        source.endOfStream()
        var hasFailed = false
        for await message in pipeline.messages {
            if case .error = message { hasFailed = true }
            if hasFailed || message == .endOfStream { break }
        }
        #expect(hasFailed == !keepsFirst)
    }
}
