import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Limit for the length of incoming frames", .timeLimit(.minutes(4)))
@MediaActor
struct FrameLengthTests {
    @Test("Packets above the limit are dropped up to the frame's last packet, and the next frame passes")
    func limit() {
        var frame = FrameLength(maximum: 100)
        let packets = [
            (60, false), (40, false), (1, false), (60, true), (60, false), (40, true), (101, true),
        ]
        let admitted = packets.map { frame.admits($0.0, isLast: $0.1) }
        #expect(admitted == [true, true, false, false, true, true, false])
    }

    /// Returns the number of frames that a depayloader delivers if each is limited to `maximum` bytes.
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

    @Test("A depayloader delivers frames within the limit, and no frames above it")
    func depayloader() async throws {
        let all = try await frames(1_000_000)
        let none = try await frames(500)
        #expect(all == 6)
        #expect(none == 0)
    }

    /// Creates a fragment of a NAL unit (FU-A, RFC 6184 §5.8) that has the marker bit, but is not the last.
    private nonisolated static func fragment(_ number: UInt16, isFirst: Bool) -> [UInt8] {
        let header: [UInt8] = [
            0x80, 0x80 | 96, UInt8(number >> 8), UInt8(number & 0xFF), 0, 0, 0, 1, 0, 0, 0, 1,
        ]
        return header + [0x7C, isFirst ? 0x85 : 0x05] + [UInt8](repeating: 7, count: 86)
    }

    /// Creates a packet with many NAL units of one byte (STAP-A, RFC 6184 §5.7.1) and the extension of a header.
    private nonisolated static func aggregation(_ number: UInt16) -> [UInt8] {
        let header: [UInt8] = [0x90, 96, UInt8(number >> 8), UInt8(number & 0xFF), 0, 0, 0, 1, 0, 0, 0, 1]
        let units = [[UInt8]](repeating: [0, 1, 6], count: 39)
        return header + [0xBE, 0xDE, 0, 1, 0, 0, 0, 0, 0x78] + units.joined()
    }

    @Test("Fragments of an endless H.264 NAL unit are dropped above the limit, even with marker bits")
    func fragments() async throws {
        let count = try await admitted(limit: 10 * (100 + 512)) { Self.fragment($0, isFirst: $0 == 0) }
        #expect(count == 10)
    }

    @Test("Each NAL unit of an H.264 aggregation packet adds its buffer's memory to the frame's length")
    func aggregations() async throws {
        let count = try await admitted(limit: 5 * (138 + 40 * 512)) { Self.aggregation($0) }
        #expect(count == 5)
    }

    /// Returns the number of packets that reach the depayloader of H.264 with a limit in bytes.
    private func admitted(limit: Int, _ packet: (UInt16) -> [UInt8]) async throws -> Int {
        let pipeline = try Pipeline(
            parsing: "appsrc name=source format=time ! identity name=input ! rtph264depay name=depayloader "
                + "! fakesink sync=false async=false",
            name: "fragments"
        )
        let depayloader = try #require(pipeline.element(named: "depayloader"))
        let input = try #require(pipeline.element(named: "input")?.pad("src"))
        let admitted = Mutex(0)
        input.limitFrames(to: limit)
        input.limitStored(to: limit, until: try #require(depayloader.pad("src")), hasUnits: true)
        input.onBuffer { _ in admitted.withLock { $0 += 1 } }
        try pipeline.setState(.playing)
        let caps = try Caps(
            "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
        )
        let source = AppSource(try #require(pipeline.element(named: "source")))
        for number in 0..<50 as Range<UInt16> {
            let bytes = packet(number)
            let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
            gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
            source.push(MediaSample(taking: buffer, caps: caps))
        }
        source.endOfStream()
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        return admitted.withLock { $0 }
    }
}
