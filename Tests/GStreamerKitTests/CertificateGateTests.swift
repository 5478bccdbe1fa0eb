import CGStreamer
import Synchronization
import Testing

@testable import GStreamerKit

@Suite("The gate that blocks media until a certificate is verified", .timeLimit(.minutes(4)))
@MediaActor
struct CertificateGateTests {
    private nonisolated static let srtp: [UInt8] = [128, 96, 0, 1, 0, 0, 0, 0]
    private nonisolated static let srtcp: [UInt8] = [191, 200, 0]
    private nonisolated static let stun: [UInt8] = [0, 1]
    private nonisolated static let hello = DTLS.record(DTLS.message([1], type: 1, sequence: 0))

    private final class Passed: Sendable {
        let sizes = Mutex<[Int]>([])

        func take() -> [Int] {
            sizes.withLock { sizes in
                defer { sizes = [] }
                return sizes
            }
        }
    }

    /// A pad of a transport, and the sizes of the buffers that pass it.
    private final class Wire {
        let pad: Pad
        private let pipeline: Pipeline
        private let passed = Passed()

        init() throws {
            pipeline = try Pipeline(
                parsing: "identity name=wire ! fakesink sync=false async=false",
                name: "wire"
            )
            let wire = try #require(pipeline.element(named: "wire"))
            pad = try #require(wire.pad("sink"))
            try pipeline.setState(.playing)
            gst_pad_send_event(pad.pointer, gst_event_new_stream_start("wire"))
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_send_event(pad.pointer, gst_event_new_segment(&segment))
            wire.pad("src")?.onBuffer { [passed] size in passed.sizes.withLock { $0.append(size) } }
        }

        private func buffer(_ bytes: [UInt8]) throws -> UnsafeMutablePointer<GstBuffer> {
            let buffer = try #require(gst_buffer_new_allocate(nil, gsize(bytes.count), nil))
            gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
            return buffer
        }

        /// Sends a datagram to the pad, and returns whether it passes.
        func passes(_ datagram: [UInt8]) throws -> Bool {
            gst_pad_chain(pad.pointer, try buffer(datagram))
            return passed.take() == [datagram.count]
        }

        /// Sends a list of datagrams to the pad, and returns whether the list passes.
        func passes(list: [[UInt8]]) throws -> Bool {
            let datagrams = try #require(gst_buffer_list_new())
            for datagram in list { gst_buffer_list_insert(datagrams, -1, try buffer(datagram)) }
            gst_pad_chain_list(pad.pointer, datagrams)
            let passed = passed.take()
            #expect(passed.isEmpty || passed == list.map(\.count))
            return !passed.isEmpty
        }
    }

    private nonisolated static func gate(accepting accepted: String = "theirs") -> CertificateGate {
        CertificateGate(judge: { $0 == accepted }, refuse: { Issue.record("\($0)") })
    }

    @Test("Only STUN and DTLS pass before a certificate is accepted")
    func waiting() throws {
        let wire = try Wire()
        Self.gate().guardMedia(wire.pad)
        for media in [Self.srtp, Self.srtcp] {
            #expect(try !wire.passes(media))
            #expect(try !wire.passes(list: [media]))
            #expect(try !wire.passes(list: [Self.hello, media]))
        }
        for other in [Self.stun, Self.hello] {
            #expect(try wire.passes(other))
            #expect(try wire.passes(list: [other, other]))
        }
    }

    @Test("Everything passes once the certificate is accepted")
    func open() throws {
        let (gate, wire) = (Self.gate(), try Wire())
        gate.guardMedia(wire.pad)
        #expect(try !wire.passes(Self.srtp))
        gate.handle(pem: "theirs")
        for datagram in [Self.srtp, Self.srtcp, Self.stun, Self.hello] {
            #expect(try wire.passes(list: [Self.hello, datagram]))
            #expect(try wire.passes(datagram))
        }
    }

    @Test("The number of DTLS records after the handshake is limited")
    func records() throws {
        let (gate, wire) = (Self.gate(), try Wire())
        gate.guardRecords(wire.pad)
        gate.handle(pem: "theirs")
        for _ in 0..<100 { #expect(try wire.passes(Self.hello)) }
        gate.endHandshake()
        let passed = try (0..<100).filter { _ in try wire.passes(Self.hello) }.count
        #expect((50..<100).contains(passed))
    }

    @Test("After a certificate is refused, no packet passes, even if a correct certificate follows")
    func shut() throws {
        let (gate, media, records) = (Self.gate(), try Wire(), try Wire())
        gate.guardMedia(media.pad)
        gate.guardRecords(records.pad)
        #expect(try records.passes(Self.hello))
        for certificate in ["another's", "theirs"] {
            gate.handle(pem: certificate)
            for datagram in [Self.srtp, Self.srtcp, Self.stun, Self.hello] {
                #expect(try !media.passes(datagram))
                #expect(try !media.passes(list: [datagram]))
            }
            #expect(try !records.passes(Self.hello))
        }
    }

    @Test("After another certificate follows an accepted one, no packet passes")
    func replaced() throws {
        let (gate, media) = (Self.gate(), try Wire())
        gate.guardMedia(media.pad)
        gate.handle(pem: "theirs")
        #expect(try media.passes(Self.srtp))
        gate.handle(pem: "another's")
        #expect(try !media.passes(Self.srtp))
        #expect(try !media.passes(list: [Self.srtp]))
    }

    @Test("Each transport has a gate of its own, for both directions and the handshake")
    func transports() async throws {
        let pipeline = try Pipeline(name: "peer")
        let bin = try WebRTCBin(latencyMs: 20)
        bin.set("bundle-policy", parsing: "none")
        let gates = Mutex<[CertificateGate]>([])
        bin.installGates {
            let gate = Self.gate()
            gates.withLock { $0.append(gate) }
            return gate
        }
        let elements = Mutex(0)
        for factory in ["nicesrc", "nicesink", "dtlsdec"] {
            Bin(bin.object).onElementAdded(from: factory) { _ in elements.withLock { $0 += 1 } }
        }
        pipeline.add(bin)
        for index in 0..<2 {
            let pad = try #require(bin.requestPad("sink_\(index)"))
            Transceiver(of: pad)?.set(
                codecs: try Caps(
                    "application/x-rtp,media=(string)audio,encoding-name=(string)OPUS,clock-rate=(int)48000,"
                        + "payload=(int)\(110 + index)"
                )
            )
        }
        try pipeline.setState(.playing)
        try await bin.setLocal(.offer, try await bin.createOffer())
        #expect(elements.withLock { $0 } == 6)
        #expect(gates.withLock { $0.count } == 2)
        try pipeline.setState(.null)
    }

    @Test("A dangerous certificate message closes the gate before the certificate is verified")
    func refusal() throws {
        let refusals = Mutex<[String]>([])
        let gate = CertificateGate(
            judge: { _ in true },
            refuse: { reason in refusals.withLock { $0.append(reason) } }
        )
        let (media, records) = (try Wire(), try Wire())
        gate.guardMedia(media.pad)
        gate.guardRecords(records.pad)
        #expect(try !records.passes(DTLS.record(DTLS.message(DTLS.large))))
        #expect(refusals.withLock { $0.count } == 1)
        gate.handle(pem: "theirs")
        #expect(try !records.passes(Self.hello))
        #expect(try !media.passes(Self.srtp))
    }

    @Test("Forged handshake messages after the acceptance of a certificate are dropped without effect")
    func forged() throws {
        let (gate, media, records) = (Self.gate(), try Wire(), try Wire())
        gate.guardMedia(media.pad)
        gate.guardRecords(records.pad)
        let flight = DTLS.record(DTLS.message(DTLS.small))
        #expect(try records.passes(flight))
        gate.handle(pem: "theirs")
        let messages = [
            DTLS.message(DTLS.large), DTLS.message(DTLS.small, sequence: 3), DTLS.message([], sequence: 9),
            DTLS.message([1], type: 16),
        ]
        for message in messages { #expect(try !records.passes(DTLS.record(message))) }
        // The rest of the flight passes, and then a retransmission of the whole flight.
        let exchange = DTLS.record(DTLS.message([1], type: 16, sequence: 3))
        #expect(try records.passes(exchange))
        #expect(try records.passes(flight + exchange))
        #expect(try media.passes(Self.srtp))
    }
}
