import CGLib
import CGStreamer
import GLibKit
import Testing

@testable import GStreamerKit

@Suite("The webrtcbin peer connection", .timeLimit(.minutes(4)))
@MediaActor
struct WebRTCBinTests {
    private struct Peer {
        let pipeline: Pipeline
        let bin: WebRTCBin

        @MediaActor
        init(sending: Bool = true) throws {
            pipeline = try Pipeline(name: "peer")
            bin = try WebRTCBin(latencyMs: 20)
            pipeline.add(bin)
            if sending, let pad = bin.requestPad("sink_0") {
                Transceiver(of: pad)?.set(
                    codecs: try Caps(
                        "application/x-rtp,media=(string)audio,encoding-name=(string)OPUS,"
                            + "clock-rate=(int)48000,payload=(int)110"
                    )
                )
            }
            try pipeline.setState(.playing)
        }
    }

    @Test("After an offer is created and set, candidates are gathered")
    func offer() async throws {
        let peer = try Peer()
        let candidates = peer.bin.localCandidates()
        let offer = try await peer.bin.createOffer()
        #expect(offer.contains("m=audio"))
        #expect(offer.contains("OPUS/48000"))
        try await peer.bin.setLocal(.offer, offer)
        #expect(await candidates.next()?.candidate.hasPrefix("candidate:") == true)
    }

    @Test("The queue of received packets has room for 2,000 packets")
    func receiveQueue() async throws {
        let peer = try Peer()
        try await peer.bin.setLocal(.offer, try await peer.bin.createOffer())
        var limits: [Int] = []
        let iterator = try #require(gst_bin_iterate_recurse(peer.bin.object.cast(to: GstBin.self)))
        defer { gst_iterator_free(iterator) }
        var value = GValue()
        while gst_iterator_next(iterator, &value) == GST_ITERATOR_OK {
            let queue = Element(ObjectRef(retaining: try #require(g_value_get_object(&value))))
            if queue.factoryName == "queue", queue.parent?.object.typeName == "TransportReceiveBin" {
                limits.append(queue.int("max-size-buffers"))
            }
            g_value_reset(&value)
        }
        #expect(limits == [2000])
    }

    @Test("UPnP is disabled")
    func noUPnP() throws {
        let bin = try WebRTCBin(latencyMs: 20)
        let agent = bin.objectProperty("ice-agent").flatMap { Element($0).objectProperty("agent") }
        #expect(try Element(#require(agent)).int("upnp") == 0)
    }

    @Test("Transport-wide feedback is sent every 100 ms, and sender reports contain the capture time")
    func reports() async throws {
        let bin = try WebRTCBin(latencyMs: 20)
        let (settings, setting) = AsyncStream.makeStream(of: [Int].self)
        bin.object.connect("deep-element-added") { arguments in
            guard let element = arguments.object(2).map(Element.init), element.factoryName == "rtpsession",
                let session = element.objectProperty("internal-session")
            else { return }
            setting.yield([
                Element(session).int("twcc-feedback-interval"), element.int("rtcp-sync-send-time"),
            ])
        }
        _ = Bin(bin.object).element(named: "rtpbin")?.requestPad("recv_rtp_sink_0")
        setting.finish()
        var found: [[Int]] = []
        for await setting in settings { found.append(setting) }
        #expect(found == [[100_000_000, 0]])
    }

    @Test(
        "Sessions store no feedback, and packets are stored only if error correction is enabled",
        arguments: [false, true]
    )
    func stored(correctsErrors: Bool) async throws {
        let bin = try WebRTCBin(latencyMs: 20, correctsErrors: correctsErrors)
        let (elements, element) = AsyncStream.makeStream(of: Element.self)
        bin.object.connect("deep-element-added") { arguments in
            if let added = arguments.object(2).map(Element.init) { element.yield(added) }
        }
        _ = Bin(bin.object).element(named: "rtpbin")?.requestPad("recv_rtp_sink_0")
        element.finish()
        var (windows, sizes): ([Int], [Int]) = ([], [])
        for await element in elements {
            switch element.factoryName {
            case "rtpsession":
                let inner = element.objectProperty("internal-session").map(Element.init)
                // The largest number stands for no time.
                windows.append(inner?.int("rtcp-feedback-retention-window") ?? 0)
            case "rtpstorage": sizes.append(element.int("size-time"))
            default: break
            }
        }
        #expect(windows == [-1])
        #expect(sizes.count == 1 && (sizes[0] > 0) == correctsErrors)
    }

    @Test("Creating an answer without an offer throws an error")
    func answerWithoutOffer() async throws {
        let peer = try Peer()
        await #expect(throws: GStreamerError.self) { try await peer.bin.createAnswer() }
    }

    @Test("A remote answer without an offer is rejected")
    func answerOutOfTurn() async throws {
        let (one, other) = (try Peer(), try Peer())
        let offer = try await one.bin.createOffer()
        await #expect(throws: GStreamerError.self) { try await other.bin.setRemote(.answer, offer) }
    }

    @Test(
        "Text that is not a session description is refused",
        arguments: [
            "", "garbage", "v=0\r\n", "v=0\r\nm=audio\r\n", "v=0\0\r\n", "m=\r\n", "v=0\r\nm=audio 9 x 0",
        ]
    )
    func badDescriptions(_ text: String) async throws {
        let peer = try Peer()
        await #expect(throws: GStreamerError.self) { try await peer.bin.setRemote(.offer, text) }
    }

    @Test("A session description with data channels is refused, at any position", arguments: [true, false])
    func dataChannels(_ areFirst: Bool) async throws {
        let (one, other) = (try Peer(), try Peer())
        let offer = try await one.bin.createOffer()
        let place = areFirst ? offer.firstRange(of: "m=")?.lowerBound ?? offer.endIndex : offer.endIndex
        let channels = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:d\r\na=sctp-port:5000\r\n"
        let text = String(offer[..<place]) + channels + String(offer[place...])
        await #expect(throws: GStreamerError.self) { try await other.bin.setRemote(.offer, text) }
    }

    @Test(
        "Invalid candidates are ignored",
        arguments: [
            "", "candidate:", "garbage", "candidate:1 1 UDP x y z typ host",
            "candidate:1 1 UDP 1 nowhere.local 9 typ host",
        ]
    )
    func badCandidates(_ candidate: String) async throws {
        let peer = try Peer()
        try await peer.bin.setLocal(.offer, try await peer.bin.createOffer())
        for index in [0, 7, -1, Int(UInt32.max), Int.max] {
            peer.bin.addCandidate(candidate, mLineIndex: index)
        }
        _ = try await peer.bin.statistics()
    }

    @Test("Creating an offer with a closed connection throws an error")
    func closed() async throws {
        let peer = try Peer()
        try peer.pipeline.setState(.null)
        await #expect(throws: GStreamerError.self) { try await peer.bin.createOffer() }
    }

    @Test("A property of another type reads as zero or nil")
    func missingProperties() throws {
        let element = try Element(factory: "fakesink")
        #expect(element.int("name") == 0)
        #expect(element.objectProperty("name") == nil)
    }
}
