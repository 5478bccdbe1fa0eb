import CGStreamer
import GLibKit
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("Transport-wide numbers of sent packets", .timeLimit(.minutes(4)))
@MediaActor
struct TransportNumberingTests {
    /// An RTP session that sends packets with the header extension for transport-wide numbers.
    private final class Session {
        private let pipeline: Pipeline
        private let internals: RTPInternals
        private let (input, feedback): (Pad, Pad)
        private var next: UInt16 = 0
        let passed = Passed()

        init() throws {
            pipeline = try Pipeline(name: "session")
            internals = RTPInternals(of: pipeline, reportInterval: 500, correctsErrors: false)
            let (session, output) = (try Element(factory: "rtpsession"), try Element(factory: "fakesink"))
            output.set("async", false)
            output.set("sync", false)
            pipeline.add(session)
            pipeline.add(output)
            input = try #require(session.requestPad("send_rtp_sink"))
            feedback = try #require(session.requestPad("recv_rtcp_sink"))
            let (source, sink) = (try #require(session.pad("send_rtp_src")), try #require(output.pad("sink")))
            #expect(source.link(to: sink))
            sink.onEachBuffer { [passed] buffer in
                var extensions: UInt64 = 0
                gst_buffer_extract(buffer, 12, &extensions, 8)
                passed.extensions.withLock { $0.append(extensions.bigEndian) }
            }
            // Added last, so that it sees what the session is to see.
            feedback.onEachBuffer { [passed] buffer in
                let size = Int(gst_buffer_get_size(buffer))
                passed.reports.withLock { $0.append(size) }
            }
            internals.onTransportFeedback { [passed] packets in passed.outcome.withLock { $0.append(packets) }
            }
            try pipeline.setState(.playing)
            try begin(
                input,
                "application/x-rtp,media=video,payload=96,clock-rate=90000,encoding-name=H264,ssrc=(uint)5,"
                    + "extmap-3=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
            )
            try begin(feedback, "application/x-rtcp")
        }

        deinit { try? pipeline.setState(.null) }

        private func begin(_ pad: Pad, _ format: String) throws {
            let caps = try Caps(format)
            gst_pad_send_event(pad.pointer, gst_event_new_stream_start("stream"))
            gst_pad_send_event(pad.pointer, withExtendedLifetime(caps) { gst_event_new_caps($0.pointer) })
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_send_event(pad.pointer, gst_event_new_segment(&segment))
        }

        private func push(_ bytes: [UInt8], to pad: Pad) throws {
            let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
            gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
            buffer.pointee.pts = 0
            gst_pad_chain(pad.pointer, buffer)
        }

        /// Sends a packet with a payload of 20 bytes and these header extensions (RFC 8285 §4.2).
        func send(_ extensions: [UInt8] = [0x31, 0, 0, 0]) throws {
            let number = DTLS.number(Int(next), 2)
            next &+= 1
            let header = [0x90, 96] + number + [0, 0, 0, 0, 0, 0, 0, 5, 0xBE, 0xDE, 0, 1] as [UInt8]
            try push(header + extensions + [UInt8](repeating: 7, count: 20), to: input)
        }

        /// Receives a compound packet of the peer.
        func receive(_ packet: [UInt8]) throws { try push(packet, to: feedback) }
    }

    private final class Passed: Sendable {
        let extensions = Mutex<[UInt64]>([])
        let reports = Mutex<[Int]>([])
        let outcome = Mutex<[[TransportPacket]]>([])
    }

    private static let report: [UInt8] = [0x80, 201, 0, 1, 1, 2, 3, 4]

    /// Packs the control information of a report about packets of the SSRC 5.
    private static func packed(_ content: [UInt8]) -> [UInt8] {
        let whole = content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        return [0x8F, 205] + DTLS.number(whole.count / 4 + 2, 2) + [1, 2, 3, 4, 0, 0, 0, 5] + whole
    }

    @Test("Each packet with the header extension gets the next number, and others are unchanged")
    func numbers() throws {
        let session = try Session()
        for _ in 0..<3 { try session.send() }
        try session.send([0x41, 9, 9, 0])
        try session.send()
        let expected: [UInt64] = [0x3100_0000, 0x3100_0100, 0x3100_0200, 0x4109_0900, 0x3100_0300]
        #expect(session.passed.extensions.withLock { $0 } == expected.map { 0xBEDE_0001_0000_0000 | $0 })
    }

    @Test("Transport feedback is read and removed, and other RTCP packets reach the session")
    func feedback() throws {
        let session = try Session()
        for _ in 0..<5 { try session.send() }
        try session.receive(Self.report + Self.packed(TransportFeedbackTests.arrival(base: 0, packets: 3)))
        try session.receive(
            Self.packed(TransportFeedbackTests.arrival(base: 4, packets: 1, count: 1)) + Self.report
        )
        try session.receive(Self.packed([1, 2, 3]))
        try session.receive(Self.report)
        #expect(session.passed.reports.withLock { $0 } == [8, 8, 8])
        let outcome = session.passed.outcome.withLock { $0 }
        try #require(outcome.map { $0.map(\.sequence) } == [[0, 1, 2], [3, 4]])
        #expect(outcome[0].allSatisfy { $0.size == 20 && $0.arrived != nil })
        #expect(outcome[1].map { $0.arrived == nil } == [true, false])
    }

    @Test("36-byte reports about 65,535 packets are processed quickly")
    func floods() throws {
        let session = try Session()
        try session.send()
        let chunks = [Int](repeating: 0x1FFF, count: 8) + [7]
        let content = TransportFeedbackTests.report(base: 1, packets: 65_535, chunks: chunks)
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<1000 { try session.receive(Self.packed(content)) }
        #expect(clock.now - start < .seconds(5))
        #expect(session.passed.outcome.withLock { $0.isEmpty })
    }

    @Test("Packets that the peer never reports do not accumulate in memory")
    func memory() async {
        await #expect(processExitsWith: .success) { try await Self.checkMemory() }
    }

    private static func checkMemory() throws {
        let session = try Session()
        func sendMany() throws {
            for _ in 0..<20_000 { try session.send() }
            session.passed.extensions.withLock { $0 = [] }
        }
        for _ in 0..<2 { try sendMany() }
        let before = ProcessFigures.residentBytes
        for _ in 0..<15 { try sendMany() }
        // Each packet would take 40 bytes.
        #expect(ProcessFigures.residentBytes - before < 4_000_000)
    }
}
