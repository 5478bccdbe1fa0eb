import CGStreamer
import Testing

@testable import GStreamerKit

@Suite("The jitter buffer", .timeLimit(.minutes(4)))
@MediaActor
struct JitterBufferTests {
    /// A pipeline with an rtpjitterbuffer.
    private final class Stream {
        /// The sizes of the packets that leave the buffer.
        let packets: AsyncStream<Int>
        /// The times of these packets, in milliseconds.
        let times: AsyncStream<Int>
        private let pipeline: Pipeline
        private let input: Pad

        /// Creates a stream; packets wait for missing ones for `latency` milliseconds.
        init(latency: Int) throws {
            pipeline = try Pipeline(
                parsing: "rtpjitterbuffer name=buffer latency=\(latency) ! fakesink sync=false async=false",
                name: "receiver"
            )
            let buffer = try #require(pipeline.element(named: "buffer"))
            JitterBuffer(element: buffer).start(after: 4)
            JitterBuffer(element: buffer).keepTimes()
            input = try #require(buffer.pad("sink"))
            let (packets, sizes) = AsyncStream.makeStream(of: Int.self)
            let (times, moments) = AsyncStream.makeStream(of: Int.self)
            (self.packets, self.times) = (packets, times)
            buffer.pad("src")?.onBuffer { sizes.yield($0) }
            buffer.pad("src")?.onTime { moments.yield(Int($0 / 1_000_000)) }
            try pipeline.setState(.playing)
        }

        deinit { try? pipeline.setState(.null) }

        /// Begins the stream with `count` consecutive packets of 13, 14, 15, … bytes.
        func begin(packets count: Int) throws {
            try begin()
            for number in 0..<count { try send(number, size: number + 1) }
        }

        /// Sends the events with which a stream of video begins.
        func begin() throws {
            gst_pad_send_event(input.pointer, gst_event_new_stream_start("video"))
            let caps = try Caps(
                "application/x-rtp,media=(string)video,encoding-name=(string)H264,clock-rate=(int)90000,"
                    + "payload=(int)96"
            )
            gst_pad_send_event(input.pointer, gst_event_new_caps(caps.pointer))
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_send_event(input.pointer, gst_event_new_segment(&segment))
        }

        /// Sends one packet.
        ///
        /// - Parameters:
        ///   - number: the sequence number.
        ///   - size: the length of the payload in bytes.
        ///   - stamp: the RTP time stamp, of 90 kHz.
        ///   - arrival: the arrival time in milliseconds; nil for none.
        /// - Throws: `ExpectationFailedError` if there is no memory.
        func send(_ number: Int, size: Int = 1, stamp: Int = 0, arrival: Int? = nil) throws {
            let time = (0..<4).map { UInt8(truncatingIfNeeded: stamp >> (24 - 8 * $0)) }
            let header: [UInt8] = [0x80, 96, 1, UInt8(number)] + time + [0, 0, 0, 1]
            let bytes = header + [UInt8](repeating: 0, count: size)
            let packet = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
            gst_buffer_fill(packet, 0, bytes, gsize(bytes.count))
            if let arrival {
                (packet.pointee.pts, packet.pointee.dts) = (
                    guint64(arrival * 1_000_000), guint64(arrival * 1_000_000)
                )
            }
            gst_pad_chain(input.pointer, packet)
        }
    }

    // The test runs fifty times, because a buffer whose packets overtake its events sometimes passes it.
    @Test("A stream begins immediately if its first four packets are consecutive", arguments: 0..<50)
    func start(_ round: Int) async throws {
        let stream = try Stream(latency: 3_600_000)
        try stream.begin(packets: 4)
        var sizes: [Int] = []
        for await size in stream.packets {
            sizes.append(size)
            if sizes.count == 4 { break }
        }
        #expect(sizes == [13, 14, 15, 16])
    }

    @Test("After a network pause, packets get the times at which they should have arrived")
    func pause() async throws {
        let stream = try Stream(latency: 20)
        try stream.begin()
        for number in 0..<100 {
            let time = 1000 + 20 * number
            // The packets of a tenth of a second arrive at once, after it.
            let isLate = (60..<65).contains(number)
            try stream.send(number, stamp: 90 * 20 * number, arrival: isLate ? 1000 + 20 * 65 : time)
        }
        var times: [Int] = []
        for await time in stream.times {
            times.append(time)
            if times.count == 100 { break }
        }
        let expected = (0..<100).map { 1000 + 20 * $0 }
        #expect(zip(times, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(times)")
    }
}
