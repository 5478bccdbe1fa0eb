import Basics
import BasicsTesting
import CallCore
import CallTesting
import Testing

@Suite("Session description")
struct SessionDescriptionTests {
    private let transportWide =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

    @Test("A description with very many combining marks is read in a short time", .timeLimit(.minutes(4)))
    func marks() throws {
        let marks = BasicsTesting.marks(120_000)
        for line in ["a=i\(marks)", "a=fmtp:96 x\(marks)=1", "a=rtpmap:96 x\(marks)/90000", "a=mid:\(marks)"]
        {
            let text = SampleDescriptions.chromiumOffer + line + "\r\n"
            let offer = try SessionDescription(parsing: text)
            #expect(offer.media.count == 3)
        }
        #expect(throws: SessionDescriptionError.self) { try SessionDescription(parsing: "v\(marks)") }
    }

    @Test("Chromium's offer is parsed completely")
    func chromium() throws {
        let offer = try SessionDescription(parsing: SampleDescriptions.chromiumOffer)
        #expect(offer.iceUfrag == "x4Qa")
        #expect(offer.originVersion == 2)
        #expect(offer.media.map(\.kind) == [.audio, .video, .application])
        #expect(offer.media.map(\.mid) == ["0", "1", "2"])
        #expect(offer.media.map(\.direction) == [.sendrecv, .recvonly, .sendrecv])
        #expect(offer.index(ofMid: "1") == 1)

        let audio = offer.media[0]
        #expect(audio.codecs.map(\.payloadType) == [111, 63, 9, 0, 8, 13, 110, 126])
        #expect(audio.codecs[0].channels == 2)
        #expect(audio.codecs[0].parameters == ["minptime": "10", "useinbandfec": "1"])
        #expect(audio.codecs[1].parameters == ["111/111": ""])
        #expect(audio.codecs[3].name == "PCMU")
        #expect(audio.headerExtensions.contains { $0.id == 3 && $0.uri == transportWide })

        let video = offer.media[1]
        #expect(video.codecs[0].feedback == ["goog-remb", "nack", "nack pli"])
        #expect(video.codecs[2].isNamed("h264"))
        #expect(video.codecs[2].parameters["profile-level-id"] == "42001f")
        #expect(offer.media[2].codecs.isEmpty)
    }

    @Test("aiortc's answer is parsed, including a rejected section and wildcard feedback")
    func aiortc() throws {
        let answer = try SessionDescription(parsing: SampleDescriptions.aiortcAnswer)
        #expect(answer.iceUfrag == "Ye3t")
        #expect(answer.originVersion == 3_934_562_213)
        #expect(answer.media.map(\.isRejected) == [false, true])
        #expect(answer.media[1].direction == .inactive)
        #expect(answer.media[1].codecs[0].feedback == ["nack"])
        #expect(answer.media[1].codecs[0].parameters["profile-level-id"] == "42e01f")
    }

    @Test("webrtcbin's offer is parsed; a bundle-only section with port 0 is not rejected")
    func webrtcbin() throws {
        let offer = try SessionDescription(parsing: SampleDescriptions.webrtcbinOffer)
        #expect(offer.iceUfrag == "vb8dJ3pT2mK0QwErTyUi")
        #expect(offer.mid(at: 0) == "video0")
        #expect(offer.index(ofMid: "audio1") == 1)
        #expect(offer.media.map(\.isRejected) == [false, false])
        #expect(offer.media[1].sends)
        #expect(!offer.media[1].receives)
        #expect(offer.mid(at: 2) == nil)
        #expect(offer.mid(at: -1) == nil)
    }

    @Test("Attributes at session level apply to sections that do not have them")
    func sessionLevel() throws {
        let text = "v=0\no=- 1 7 IN IP4 0.0.0.0\na=ice-ufrag:abcd\na=sendonly\nm=audio 9 RTP/AVP 0\n"
        let description = try SessionDescription(parsing: text)
        #expect(description.iceUfrag == "abcd")
        #expect(description.iceUfrags == ["abcd"])
        #expect(description.media[0].direction == .sendonly)
    }

    @Test(
        "Text that is not a session description is refused",
        arguments: [
            "", "garbage", "v=1\n", "{}", "v=0\no=- x y IN IP4 0\n", "v=0\no=-\n", "v=0\nm=audio\n",
            "v=0\nm=audio -1 X 0\n", "v=0\nm=audio 65536 X 0\n", "v=0\nm=audio 99999999999999999999 X 0\n",
            "v=0\nnonsense\n", "v=0\n=\n", "v=0\no=- 1 99999999999999999999999 IN IP4 0\n",
        ]
    )
    func refused(text: String) {
        #expect(throws: SessionDescriptionError.self) { try SessionDescription(parsing: text) }
    }

    @Test(
        "Invalid attributes are skipped",
        arguments: [
            "rtpmap:999999999999999999999 X/1", "rtpmap:0 X/0", "rtpmap:0", "rtpmap:", "rtpmap:-1 X/8000",
            "fmtp:0", "fmtp:0 ;;;=;=x", "rtcp-fb:*", "rtcp-fb:0", "extmap:0 a", "extmap:256 a", "extmap:1",
            "extmap", "mid", "ice-ufrag:", "ice-ufrag:" + String(repeating: "a", count: 257), ":", "",
            "rtpmap:0 PCMU/-5", "rtpmap:0 PCMU/99999999999999999999/99999999999999999999",
        ]
    )
    func absurd(attribute: String) throws {
        let text = "v=0\r\nm=audio 9 RTP/AVP 0\r\na=\(attribute)\r\n"
        let description = try SessionDescription(parsing: text)
        #expect(description.media.count == 1)
        #expect(description.media[0].codecs.map(\.payloadType) == [0])
        #expect(description.media[0].headerExtensions.isEmpty)
        #expect(description.iceUfrag == nil)
    }

    @Test("A description of 256 KB is parsed, and one that is a byte longer is refused")
    func length() throws {
        let head = "v=0\n"
        let longest = head + "a=" + String(repeating: "x", count: SessionDescription.maximumLength - 6)
        _ = try SessionDescription(parsing: longest)
        #expect(throws: SessionDescriptionError.tooLong(SessionDescription.maximumLength + 1)) {
            try SessionDescription(parsing: longest + "x")
        }
    }

    @Test("A description with 64 sections is parsed, and one with 65 is refused")
    func sections() throws {
        let section = "m=audio 9 RTP/AVP 0\n"
        let maximum = "v=0\n" + String(repeating: section, count: SessionDescription.maximumSections)
        #expect(try SessionDescription(parsing: maximum).media.count == SessionDescription.maximumSections)
        #expect(throws: SessionDescriptionError.tooManySections) {
            try SessionDescription(parsing: maximum + section)
        }
    }

    @Test("Parsing a truncated or corrupted offer does not trap")
    func mutilated() {
        let bytes = Array(SampleDescriptions.chromiumOffer.utf8)
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            var copy = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            for _ in 0..<4 where !copy.isEmpty {
                copy[Int.random(in: copy.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = try? SessionDescription(parsing: String(decoding: copy, as: UTF8.self))
        }
    }

    @Test(
        "Lines may end with CR, LF or CRLF, as in GStreamer, and a NUL character is refused",
        arguments: ["\r\n", "\n", "\r"]
    )
    func lineEnds(end: String) throws {
        let text = ["v=0", "m=audio 9 X 0", "a=mid:a", "m=video 9 X 96", "a=mid:b\u{2028}c", ""].joined(
            separator: end
        )
        let description = try SessionDescription(parsing: text)
        #expect(description.media.map(\.mid) == ["a", "b\u{2028}c"])
        let cut = text.replacing("a=mid:a", with: "a=mid:a\0")
        #expect(throws: SessionDescriptionError.self) { try SessionDescription(parsing: cut) }
    }
}
