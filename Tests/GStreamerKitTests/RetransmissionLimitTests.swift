import CGStreamer
import Testing

@testable import GStreamerKit

@Suite("The limit on retransmissions", .timeLimit(.minutes(4)))
struct RetransmissionLimitTests {
    private static let millisecond: UInt64 = 1_000_000

    /// Counts the packets that are sent again for requests of these packets at one time.
    private static func answered(
        _ numbers: some Sequence<Int>,
        at now: UInt64,
        sent: Int = 0,
        repeatingEvery pause: UInt64 = 0,
        by limit: inout RetransmissionLimit
    ) -> Int {
        numbers.reduce(0) { count, number in
            let request = RetransmissionRequest(ssrc: 1, number: UInt16(truncatingIfNeeded: number))
            switch limit.answer(to: request, at: now, packetsSent: sent, repeatingEvery: pause) {
            case .ignore: return count
            case .send: return count + 1
            case .sendTwice: return count + 2
            }
        }
    }

    @Test("A packet that is requested a thousand times at the same moment is retransmitted once")
    func repeated() {
        var limit = RetransmissionLimit()
        let first = Self.answered(repeatElement(7, count: 1000), at: 1, by: &limit)
        // A peer that lost the answer requests it again after a part of the round trip.
        let second = Self.answered([7, 8], at: 21 * Self.millisecond, by: &limit)
        #expect([first, second] == [1, 2])
    }

    @Test("After an outage, all stored packets are retransmitted at each of seven requests")
    func outage() {
        var limit = RetransmissionLimit()
        let answers = (0..<UInt64(7)).map {
            Self.answered(0..<500, at: 20 * $0 * Self.millisecond, by: &limit)
        }
        #expect(answers == Array(repeating: 500, count: 7))
    }

    @Test("If a path loses every third packet, all retransmission requests are answered")
    func losses() {
        var limit = RetransmissionLimit()
        var (requests, answers, sent) = (0, 0, 0)
        // A minute with 400 packets in a second, of which each third one is requested four times.
        for step in 0..<UInt64(6000) {
            sent += 4
            let numbers = (0..<4).flatMap { age in [sent - 40 * age, sent - 40 * age - 3] }.dropLast(2)
            requests += numbers.count
            let now = 10 * step * Self.millisecond
            answers += Self.answered(numbers, at: now, sent: sent, by: &limit)
        }
        #expect(answers == requests)
    }

    @Test(
        "Under a flood of requests, retransmissions are limited to two per sent packet plus a constant rate"
    )
    func flood() {
        var limit = RetransmissionLimit()
        var (answers, sent) = (0, 0)
        for step in 0..<UInt64(1000) {
            sent += 1
            let now = 10 * step * Self.millisecond
            answers += Self.answered(sent..<sent + 500, at: now, sent: sent, repeatingEvery: 1, by: &limit)
        }
        let bound = RetransmissionLimit.burst + 10 * RetransmissionLimit.perSecond
        #expect((bound - 10...bound + 2010).contains(Double(answers)))
    }

    @Test("A retransmission is duplicated at most once per interval, and only if duplication is enabled")
    func copies() {
        var limit = RetransmissionLimit()
        let times: [UInt64] = [0, 10, 40, 50, 60].map { $0 * Self.millisecond }
        let counts = times.map { now in
            Self.answered([7], at: now, repeatingEvery: 50 * Self.millisecond, by: &limit)
        }
        let other = Self.answered([9], at: times[4], by: &limit)
        #expect(counts + [other] == [2, 1, 1, 2, 1, 1])
    }

    @Test("The element rtprtxsend answers a thousand requests for a packet with a few retransmissions")
    @MediaActor
    func element() async throws {
        let pipeline = try Pipeline(name: "retransmission")
        let internals = RTPInternals(of: pipeline, reportInterval: 500, correctsErrors: false)
        let bin = try Bin.parsing(
            "appsrc name=in format=time ! rtprtxsend name=sender max-size-packets=500 "
                + "payload-type-map=application/x-rtp-pt-map,96=(uint)97 ! fakesink name=out sync=false async=false"
        )
        let (packets, packet) = AsyncStream.makeStream(of: Int.self)
        bin.element(named: "out")?.pad("sink")?.onBuffer { packet.yield($0) }
        pipeline.add(bin)
        try pipeline.setState(.playing)
        let input = AppSource(try #require(bin.element(named: "in")))
        let caps = try Caps("application/x-rtp,media=video,payload=96,clock-rate=90000,ssrc=(uint)5")
        for number in UInt8(0)..<10 {
            input.push(MediaSample(taking: try Self.packet(number), caps: caps))
        }
        for _ in 0..<10 { #expect(await packets.next() == 112) }
        let output = try #require(bin.element(named: "sender")?.pad("src"))
        for _ in 0..<1000 { try Self.request(8, of: output) }
        try Self.request(9, of: output)
        input.endOfStream()
        _ = await pipeline.messages.collect { $0 == .endOfStream }
        packet.finish()
        // A packet that is sent again begins with the number of the original.
        let again = await packets.collect { _ in false }
        #expect(Set(again) == [114])
        // One packet is sent once, the other once in five milliseconds; a slow host needs more of them.
        #expect((2...200).contains(again.count))
        let counts = internals.retransmitted
        #expect(counts.requests == again.count && counts.packets == again.count)
        try pipeline.setState(.null)
    }

    /// Creates an RTP packet with a payload of 100 bytes.
    private static func packet(_ number: UInt8) throws -> UnsafeMutablePointer<GstBuffer> {
        let bytes = [0x80, 96, 0, number, 0, 0, 0, 0, 0, 0, 0, 5] + [UInt8](repeating: 1, count: 100)
        let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
        gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
        buffer.pointee.pts = 0
        return buffer
    }

    /// Sends the request of a peer to the source pad of an rtprtxsend.
    private static func request(_ number: UInt32, of pad: Pad) throws {
        let text = "GstRTPRetransmissionRequest,seqnum=(uint)\(number),ssrc=(uint)5"
        let structure = try #require(gst_structure_from_string(text, nil))
        gst_pad_send_event(pad.pointer, gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure))
    }
}
