import CallCore
import Testing

@testable import CallMedia

@Suite("Attributes that webrtcbin may read")
struct ReadableAttributeTests {
    @Test(
        "Known attributes remain in the description",
        arguments: [
            "a=mid:0", "a=sendrecv", "a=rtpmap:96 H264/90000", "a=rtcp-fb:96 nack pli",
            "a=rtcp-fb:* transport-cc",
            "a=fmtp:97 apt=96",
            "a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f",
            "a=ssrc:7 cname:x", "a=ssrc:7 msid:a b", "a=extmap:3 \(SectionFeatures.transportFeedbackURI)",
            "a=extmap:4/sendonly \(SectionFeatures.playoutDelayURI)", "a=fingerprint:sha-256 AA:BB",
            "a=rtpmap:111 opus/48000/2", "a=rtpmap:0 PCMU/8000", "a=rtpmap:97 rtx/90000",
        ]
    )
    func known(_ line: String) {
        #expect(ReadableAttribute.line(Substring(line)).map { String($0) } == line)
    }

    @Test(
        "Attributes with names that GStreamer would store permanently are removed",
        arguments: [
            "a=zzzz", "a=zzzz:1", "a=rid:hi send", "a=key-mgmt:mikey AA", "a=fmtp:96 zzzz=1;yyyy",
            "a=fmtp:96 a pt=1;a  p t=1", "a=fmtp:97 apt=zz", "a=fmtp:97 apt=500",
            "a=fmtp:0-15",
            "a=fmtp:101 0-15", "a=fmtp:63 111/111", "a=rtcp-fb:96 zzzz", "a=rtcp-fb:96 nack zzzz",
            "a=ssrc:7 zzzz:1",
            "a=ssrc:7", "a=extmap:zz urn:x", "a=extmap:70000 urn:x",
            "a=extmap:9 urn:ietf:params:rtp-hdrext:ntp-64",
            "a=extmap:9/recvonly http://www.webrtc.org/experiments/rtp-hdrext/color-space", "a=",
        ]
    )
    func unknown(_ line: String) {
        #expect(ReadableAttribute.line(Substring(line)) == nil)
    }

    @Test(
        "Only known format parameters are retained, and header extension IDs are normalized"
    )
    func parts() {
        let uri = SectionFeatures.playoutDelayURI
        #expect(ReadableAttribute.line("a=fmtp:96 zzzz=1; APT=97;y;x=") == "a=fmtp:96 apt=97")
        #expect(ReadableAttribute.line("a=extmap:003/recvonly \(uri) a") == "a=extmap:3/recvonly \(uri) a")
    }

    @Test(
        "An rtpmap with an unknown codec, a wrong clock rate or disabled redundancy becomes “unknown/90000”",
        arguments: [
            "H264/0", "H264/-1", "H264/2147483647", "PCMU/90000", "opus/8000/2", "AV1/90000", "VP8",
            "red/90000", "RED/90000",
            "ulpfec/90000", "flexfec-03/90000", "rtx/1", "rtx/", "",
        ]
    )
    func formats(_ encoding: String) {
        #expect(ReadableAttribute.line(Substring("a=rtpmap:98 \(encoding)")) == "a=rtpmap:98 unknown/90000")
        let redundant = ReadableAttribute.line(Substring("a=rtpmap:98 \(encoding)"), correctsErrors: true)
        let isRedundancy = ["red/90000", "RED/90000", "ulpfec/90000"].contains(encoding)
        #expect((redundant == "a=rtpmap:98 \(encoding)") == isRedundancy)
    }

    @Test("Repeated and invalid payload types of a section are removed; a data channel section is unchanged")
    func section() {
        let many = (0..<50_000).map { String($0) }.joined(separator: " ")
        let all = (0...127).map { String($0) }.joined(separator: " ")
        let line = "m=video 9 UDP/TLS/RTP/SAVPF"
        #expect(
            ReadableAttribute.section(Substring("\(line) 96 97 96 x \(many)"))
                == "\(line) 96 97 \(others(all))"
        )
        #expect(ReadableAttribute.section("m=audio 9 X 0 0 0 0") == "m=audio 9 X 0")
        #expect(ReadableAttribute.section("m=text 9 X t140 t140 x") == "m=text 9 X t140")
        let data = "m=application 9 UDP/DTLS/SCTP webrtc-datachannel"
        #expect(ReadableAttribute.section(Substring(data)) == Substring(data))
    }

    private func others(_ all: String) -> String {
        all.split(separator: " ").filter { $0 != "96" && $0 != "97" }.joined(separator: " ")
    }

    @Test("GStreamer and the parser read only the first direction of a section")
    func directions() throws {
        let lines = [
            "v=0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=sendonly:x", "a=recvonly", "a=sendonly",
            "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=inactive", "a=sendrecv",
        ]
        var known: Set<Substring> = []
        let text = lines.joined(separator: "\r\n")
        let readable = ReadableDescription.text(of: text, sourcesOf: [], known: &known)
        let attributes = readable.split(separator: "\r\n").filter { $0.hasPrefix("a=") }
        #expect(attributes == ["a=sendonly", "a=inactive"])
        #expect(try SessionDescription(parsing: text).media.map(\.direction) == [.sendonly, .inactive])
    }

    @Test("GStreamer and the parser read only the first of repeated ICE credentials")
    func credentials() throws {
        let lines = [
            "v=0", "a=ice-ufrag:a", "a=ice-ufrag:b", "a=ice-pwd:c", "a=ice-pwd:c",
            "m=audio 9 UDP/TLS/RTP/SAVPF 111", "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=ice-ufrag:d",
            "a=ice-ufrag:e",
        ]
        var known: Set<Substring> = []
        let text = lines.joined(separator: "\r\n")
        let readable = ReadableDescription.text(of: text, sourcesOf: [], known: &known)
        let attributes = readable.split(separator: "\r\n").filter { $0.hasPrefix("a=") }
        #expect(attributes == ["a=ice-ufrag:a", "a=ice-pwd:c", "a=ice-ufrag:d"])
        let description = try SessionDescription(parsing: text)
        #expect(description.sessionUfrag == "a" && description.media.last?.iceUfrag == "d")
    }

    @Test("A section has at most 1,000 attributes and eight SSRCs")
    func bounds() {
        let section = ["m=video 9 UDP/TLS/RTP/SAVPF 96", "a=mid:0"]
        let sources = (0..<20).flatMap { ["a=ssrc:\($0) cname:x", "a=ssrc:\($0) msid:a b"] }
        let many = (0..<2000).map { _ in "a=extmap:3 \(SectionFeatures.playoutDelayURI)" }
        var known: Set<Substring> = []
        func kept(_ lines: [String]) -> Int {
            let text = (["v=0"] + section + lines).joined(separator: "\r\n")
            return ReadableDescription.text(of: text, sourcesOf: [0], known: &known)
                .split(separator: "\r\n").count
        }
        #expect(kept(sources) == 3 + 16)
        // `a=mid` is one of them.
        #expect(kept(many) == 2 + 1000)
        // All later descriptions together may have 64.
        let later = (100..<200).map { kept(["a=ssrc:\($0) cname:x"]) }
        #expect(later.filter { $0 == 4 }.count == 64 - 8)
        #expect(kept(Array(sources.prefix(4))) == 3 + 4)
    }
}
