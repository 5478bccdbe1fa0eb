import CGStreamer
import GLibKit
import Testing

@testable import GStreamerKit

@Suite("Reports about the arrival of the peer's packets", .timeLimit(.minutes(4)))
struct ArrivalReportsTests {
    private static let millisecond: UInt64 = 1_000_000

    /// Counts the admitted packets of a second, whose numbers have a difference.
    private static func admitted(_ count: Int, step: Int) -> Int {
        var reports = ArrivalReports()
        return (0..<count).filter { index in
            let time = UInt64(index) * 1000 * millisecond / UInt64(count)
            return reports.admits(UInt16(truncatingIfNeeded: index * step), at: time)
        }.count
    }

    @Test(
        "Every packet is reported for a 20 Mb/s stream, and for a 5 Mb/s stream that loses every second packet"
    )
    func honest() {
        #expect(Self.admitted(2500, step: 1) == 2500)
        #expect(Self.admitted(300, step: 2) == 300)
    }

    @Test("At most 400 of 5,000 irregular numbers are reported", arguments: [2, 22, 20_000, 40_000, 0])
    func irregular(step: Int) {
        #expect((50...400).contains(Self.admitted(5000, step: step)))
    }

    @Test(
        "The transport-wide sequence number is found at the position where GStreamer finds it",
        arguments: [
            ([0x31, 1, 2, 0] as [UInt8], 16), ([0, 0x31, 1, 2], 17), ([0x05, 0x31, 1, 2], 17),
            ([0x40, 9, 0x31, 1, 2, 0, 0, 0], 18), ([0x30, 1, 0x31, 1, 2, 0, 0, 0], nil),
            ([0xF0, 0x31, 1, 2], nil),
            ([0, 0, 0x31, 1], nil), ([], nil),
        ]
    )
    func places(_ extensions: [UInt8], _ position: Int?) {
        let head: [UInt8] = [
            0x90, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0xBE, 0xDE, 0, UInt8(extensions.count / 4),
        ]
        let found = (head + extensions).withUnsafeBytes { TransportNumber.find(3, in: $0) }
        #expect(found?.position == position)
        if position != nil { #expect(found?.number == 0x0102) }
        for length in head.indices {
            #expect(head[..<length].withUnsafeBytes { TransportNumber.find(3, in: $0) } == nil)
        }
    }

    @Test("Every negotiated extension ID is recognized, not only the latest one")
    func severalIDs() throws {
        var received = ReceivedIDs()
        for (type, id) in [(96, 5), (97, 3), (98, 0)] as [(UInt8, Int)] {
            let member = id > 0 ? ",extmap-\(id)=(string)\"\(TransportNumber.uri)\"" : ""
            let caps = try Caps("application/x-rtp,payload=\(type)\(member)")
            received.set(type, caps, isWhole: true)
        }
        #expect(received.all == [3, 5])
        received.clear()
        #expect(received.all == [3, 5] && !received.isKnown(96))
    }

    @Test("Thousands of packets with gaps in their numbers do not crash the process")
    func gaps() async {
        await #expect(processExitsWith: .success) { try await Self.receive(step: 22) }
        await #expect(processExitsWith: .success) { try await Self.receive(step: 30_000) }
    }

    @Test("Duplicate numbers in a packet, or duplicate extension IDs, do not hide a gap")
    func hidden() async {
        await #expect(processExitsWith: .success) { try await Self.receive(step: 22, [0x31, 0, 0]) }
        await #expect(processExitsWith: .success) {
            try await Self.receive(step: 22, ids: "extmap-1=(string)\(TransportNumber.uri),extmap-3")
        }
        await #expect(processExitsWith: .success) {
            try await Self.receive(step: 22, ids: "extmap-3=(string)\(TransportNumber.uri),extmap-1")
        }
    }

    /// Receives packets whose transport-wide numbers have gaps; GStreamer alone would end the process.
    ///
    /// The packets have the header extensions `elements` before the number, and `ids` are its fields in the format.
    @MediaActor
    private static func receive(step: Int, _ elements: [UInt8] = [], ids: String = "extmap-3") throws {
        let pipeline = try Pipeline(name: "session")
        let internals = RTPInternals(of: pipeline, reportInterval: 500, correctsErrors: false)
        let (session, output) = (try Element(factory: "rtpsession"), try Element(factory: "fakesink"))
        output.set("async", false)
        output.set("sync", false)
        pipeline.add(session)
        pipeline.add(output)
        let input = try #require(session.requestPad("recv_rtp_sink"))
        let (source, sink) = (try #require(session.pad("recv_rtp_src")), try #require(output.pad("sink")))
        #expect(source.link(to: sink))
        try pipeline.setState(.playing)
        gst_pad_send_event(input.pointer, gst_event_new_stream_start("stream"))
        let caps = try Caps(
            "application/x-rtp,media=video,payload=96,clock-rate=90000,encoding-name=VP8,ssrc=(uint)5,"
                + "\(ids)=(string)\(TransportNumber.uri)"
        )
        _ = withExtendedLifetime(caps) { gst_pad_send_event(input.pointer, gst_event_new_caps($0.pointer)) }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_send_event(input.pointer, gst_event_new_segment(&segment))
        for index in 0..<4000 {
            let header =
                [0x90, 96] + DTLS.number(index, 2) + [0, 0, 0, 0, 0, 0, 0, 5, 0xBE, 0xDE, 0, 2] as [UInt8]
            let numbers = elements + [0x31] + DTLS.number(index * step & 0xFFFF, 2)
            let padding = Array(repeating: UInt8(0), count: 8 - numbers.count)
            let bytes = header + numbers + padding + [7, 7, 7, 7]
            let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
            gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
            let time = GstClockTime(UInt64(index) * millisecond / 4)
            (buffer.pointee.pts, buffer.pointee.dts) = (time, time)
            gst_pad_chain(input.pointer, buffer)
        }
        withExtendedLifetime(internals) {}
        try pipeline.setState(.null)
    }
}
