import Basics
import CallCore
import Testing

@testable import CallMedia

@Suite("Refused sections of an offer")
struct MediaOfferTests {
    private static let fingerprint = Array(repeating: "0A", count: 32).joined(separator: ":")

    private static func section(_ kind: String, _ mid: String, ufrag: String? = "u", more: [String] = [])
        -> [String]
    {
        let line = kind == "application" ? "UDP/DTLS/SCTP webrtc-datachannel" : "UDP/TLS/RTP/SAVPF 0"
        let transport =
            ufrag.map { ["a=ice-ufrag:\($0)", "a=ice-pwd:p", "a=setup:actpass"] } ?? ["a=bundle-only"]
        return ["m=\(kind) \(ufrag == nil ? 0 : 9) \(line)"] + transport + ["a=mid:\(mid)"] + more
    }

    private static func text(_ bundle: String?, _ sections: [[String]]) -> String {
        let session = ["v=0", "o=- 1 2 IN IP4 0.0.0.0", "a=fingerprint:sha-256 \(fingerprint)"]
        return (session + (bundle.map { ["a=group:BUNDLE \($0)"] } ?? []) + sections.joined())
            .map { $0 + "\r\n" }.joined()
    }

    private static func offer(_ bundle: String?, _ sections: [[String]]) throws -> MediaOffer {
        try MediaOffer(SessionOffer(parsing: text(bundle, sections)))
    }

    /// Returns the media, ports and mids of an answer.
    private static func outline(_ description: String) throws -> [String] {
        try SessionDescription(parsing: description).media.map { "\($0.kind) \($0.port) \($0.mid ?? "-")" }
    }

    @Test("An offer with only audio and video remains unchanged")
    func unchanged() throws {
        let text = Self.text("a v", [Self.section("audio", "a"), Self.section("video", "v")])
        let offer = try MediaOffer(SessionOffer(parsing: text))
        #expect(offer.text == text)
        #expect(offer.completed("an answer") == "an answer")
        #expect(offer.index(ofCandidateFor: "v", line: nil) == 1)
    }

    @Test(
        "Sections that are neither audio nor video are answered with port 0 at their positions",
        arguments: 0...2,
        [true, false]
    )
    func places(_ place: Int, _ isBundled: Bool) throws {
        var sections = [Self.section("audio", "a"), Self.section("video", "v")]
        sections.insert(
            Self.section("application", "d", ufrag: "other", more: ["a=sctp-port:5000"]),
            at: place
        )
        var mids = ["a", "v"]
        mids.insert("d", at: place)
        let offer = try Self.offer(isBundled ? mids.joined(separator: " ") : nil, sections)
        #expect(try Self.outline(offer.text) == ["audio 9 a", "video 9 v"])
        #expect(!offer.text.contains("sctp") && !offer.text.contains("other"))
        let answer = Self.text(
            isBundled ? "a v" : nil,
            [Self.section("audio", "a"), Self.section("video", "v")]
        )
        var expected = ["audio 9 a", "video 9 v"]
        expected.insert("application 0 d", at: place)
        let completed = offer.completed(answer)
        #expect(try Self.outline(completed) == expected)
        #expect(completed.contains("m=application 0 UDP/DTLS/SCTP webrtc-datachannel\r\n"))
        #expect(completed.contains("a=group:BUNDLE a v d\r\n") == isBundled)
        #expect(offer.index(ofCandidateFor: "d", line: 0) == nil)
        #expect(offer.index(ofCandidateFor: nil, line: place) == nil)
        for (index, mid) in ["a", "v"].enumerated() {
            #expect(offer.index(ofCandidateFor: mid, line: nil) == index)
            #expect(offer.wholeIndex(of: index) == expected.firstIndex { $0.hasSuffix(mid) })
            #expect(offer.index(ofCandidateFor: nil, line: offer.wholeIndex(of: index)) == index)
        }
    }

    @Test("Media sections beyond the first eight are refused")
    func many() throws {
        let sections = (0..<12).map { Self.section($0 < 6 ? "audio" : "video", "\($0)", ufrag: "u\($0)") }
        let offer = try Self.offer(nil, sections)
        #expect(offer.description.media.count == 8)
        let completed = offer.completed(Self.text(nil, Array(sections.prefix(8))))
        let ports = try SessionDescription(parsing: completed).media.map(\.port)
        #expect(ports == Array(repeating: 9, count: 8) + Array(repeating: 0, count: 4))
        #expect(offer.index(ofCandidateFor: "9", line: nil) == nil)
    }

    @Test(
        "A combining mark after the beginning of a line does not hide a media section",
        arguments: ["m=", "a=mid:", "a="]
    )
    func combiningMark(_ beginning: String) throws {
        let line = "\(beginning)\u{301}x 9 UDP/TLS/RTP/SAVPF 0"
        let text = Self.text("a", [Self.section("audio", "a"), [line], Self.section("video", "v")])
        let offer = try MediaOffer(SessionOffer(parsing: text))
        #expect(offer.description.media.map(\.mediaKind) == [.audio, .video])
        #expect(!offer.text.contains("\u{301}") && offer.text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("If a bundle's first section is refused, the next takes over its transport", arguments: ["u", nil])
    func transport(_ ufrag: String?) throws {
        let candidate = "a=candidate:1 1 udp 1 192.0.2.1 9 typ host"
        let offer = try Self.offer(
            "d a",
            [
                Self.section("application", "d", more: [candidate, "a=sctp-port:5000"]),
                Self.section("audio", "a", ufrag: ufrag),
            ]
        )
        #expect(offer.text.contains("a=group:BUNDLE a\r\n"))
        #expect(offer.description.media.map(\.iceUfrag) == ["u"])
        #expect(offer.description.media.map(\.isRejected) == [false])
        #expect(offer.text.contains(candidate) && !offer.text.contains("sctp"))
        #expect(offer.index(ofCandidateFor: "d", line: nil) == 0)
    }

    @Test("Sections of unknown media kinds are refused, and their m-lines remain in the answer")
    func unknown() throws {
        let offer = try Self.offer("a", [Self.section("audio", "a"), ["m=text 9 RTP/AVP 98 99", "a=mid:t"]])
        let completed = offer.completed(Self.text("a", [Self.section("audio", "a")]))
        #expect(completed.contains("m=text 0 RTP/AVP 98\r\n"))
        #expect(completed.contains("a=group:BUNDLE a\r\n"))
    }
}
