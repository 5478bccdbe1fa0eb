import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Frames that decoders keep", .timeLimit(.minutes(4)))
@MediaActor
struct KeptFramesTests {
    private static let caps = "video/x-vp8,width=64,height=64,framerate=30/1"
    /// The beginning of a frame whose first partition is longer than the frame (RFC 6386 §9.1).
    private static let invalid: [UInt8] = [0xF1, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 97)

    private static func keyframe() async throws -> MediaSample {
        let encoder = try Pipeline(
            parsing: "videotestsrc num-buffers=1 ! video/x-raw,width=64,height=64 ! vp8enc "
                + "! appsink name=out sync=false",
            name: "encoder"
        )
        let latest = Mutex<MediaSample?>(nil)
        let hub = AppSink(try #require(encoder.element(named: "out"))).hub
        _ = hub.attach { sample in latest.withLock { $0 = sample } }
        try encoder.setState(.playing)
        _ = await encoder.messages.collect { $0 == .endOfStream }
        return try #require(latest.withLock { $0 })
    }

    private static func numberOfFrames(in decoder: Element) -> Int {
        let list = gst_video_decoder_get_frames(decoder.object.cast(to: GstVideoDecoder.self))
        defer {
            g_list_free_full(list) { frame in
                gst_video_codec_frame_unref(frame?.assumingMemoryBound(to: GstVideoCodecFrame.self))
            }
        }
        return Int(g_list_length(list))
    }

    @Test(
        "A limited decoder discards frames that it cannot decode, and an unlimited one stores them",
        arguments: [true, false]
    )
    func undecoded(isLimited: Bool) async throws {
        let element = isLimited ? "decodebin" : "vp8dec name=decoder"
        let pipeline = try Pipeline(
            parsing: "appsrc name=in format=time ! \(element) ! appsink name=out sync=false async=false",
            name: "decoding"
        )
        let added = Mutex<WeakElement?>(nil)
        pipeline.onDecoderAdded { decoder in added.withLock { $0 = WeakElement(decoder) } }
        let source = AppSource(try #require(pipeline.element(named: "in")))
        let isDecoded = Mutex(0)
        let hub = AppSink(try #require(pipeline.element(named: "out"))).hub
        _ = hub.attach { _ in isDecoded.withLock { $0 += 1 } }
        try pipeline.setState(.playing)
        let keyframe = try await Self.keyframe()
        for number in 0..<500 {
            let frame = number == 0 || number == 499 ? keyframe : keyframe.replacing(with: Self.invalid)
            source.push(frame.shifted(to: UInt64(number) * 33_000_000, decodeTime: nil))
        }
        let (frames, last) = AsyncStream.makeStream(of: Void.self)
        _ = hub.attach { _ in if isDecoded.withLock({ $0 }) == 2 { last.yield() } }
        if isDecoded.withLock({ $0 }) < 2 { for await _ in frames { break } }
        let decoder = pipeline.element(named: "decoder") ?? added.withLock { $0?.element }
        let kept = Self.numberOfFrames(in: try #require(decoder))
        #expect(isLimited ? kept <= 40 + 16 : kept >= 498, "\(kept)")
        try pipeline.setState(.null)
    }

    @Test("The excess is the number of frames to discard to meet the limits of count and bytes")
    func excess() {
        #expect(KeptFrames.excess(of: []) == 0)
        #expect(KeptFrames.excess(of: [Int](repeating: 1, count: 40)) == 0)
        #expect(KeptFrames.excess(of: [Int](repeating: 1, count: 100)) == 60)
        #expect(KeptFrames.excess(of: [Int](repeating: 16_777_216, count: 4)) == 0)
        #expect(KeptFrames.excess(of: [Int](repeating: 16_777_216, count: 6)) == 2)
        #expect(KeptFrames.excess(of: [100_000_000]) == 1)
    }
}
