import CGStreamer
import Testing

@testable import GStreamerKit

@Suite("The jitter buffer", .timeLimit(.minutes(1)))
@MediaActor
struct JitterBufferTests {
    /// A pipeline with an rtpjitterbuffer whose latency is an hour.
    private final class Stream {
        /// The sizes of the packets that leave the buffer.
        let packets: AsyncStream<Int>
        private let pipeline: Pipeline
        private let input: Pad

        init() throws {
            pipeline = try Pipeline(
                parsing: "rtpjitterbuffer name=buffer latency=3600000 ! fakesink sync=false async=false",
                name: "receiver"
            )
            let buffer = try #require(pipeline.element(named: "buffer"))
            JitterBuffer(element: buffer).start(after: 4)
            input = try #require(buffer.pad("sink"))
            let (packets, news) = AsyncStream.makeStream(of: Int.self)
            self.packets = packets
            buffer.pad("src")?.onBuffer { news.yield($0) }
            try pipeline.setState(.playing)
        }

        deinit { try? pipeline.setState(.null) }

        /// Begins the stream with `count` consecutive packets of 13, 14, 15, … bytes.
        func begin(packets count: Int) throws {
            gst_pad_send_event(input.pointer, gst_event_new_stream_start("video"))
            let caps = try Caps(
                "application/x-rtp,media=(string)video,encoding-name=(string)H264,clock-rate=(int)90000,"
                    + "payload=(int)96"
            )
            gst_pad_send_event(input.pointer, gst_event_new_caps(caps.pointer))
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_send_event(input.pointer, gst_event_new_segment(&segment))
            for number in 0..<count {
                let header: [UInt8] = [0x80, 96, 1, UInt8(number), 0, 0, 0, 0, 0, 0, 0, 1]
                let bytes = header + [UInt8](repeating: 0, count: number + 1)
                let packet = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
                gst_buffer_fill(packet, 0, bytes, gsize(bytes.count))
                gst_pad_chain(input.pointer, packet)
            }
        }
    }

    // The test runs fifty times, because a buffer whose packets overtake its events sometimes passes it.
    @Test("A stream begins immediately if its first four packets are consecutive", arguments: 0..<50)
    func start(_ round: Int) async throws {
        let stream = try Stream()
        try stream.begin(packets: 4)
        var sizes: [Int] = []
        for await size in stream.packets {
            sizes.append(size)
            if sizes.count == 4 { break }
        }
        #expect(sizes == [13, 14, 15, 16])
    }
}
