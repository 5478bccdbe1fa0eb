import CallCore
import Testing

/// The rules by which offers are shortened for servers that reject large messages.
@Suite("Reduced offers")
struct ReducedOfferTests {
    private static let offer = SampleDescriptions.joined(
        """
        v=0
        o=- 1 1 IN IP4 0.0.0.0
        s=-
        t=0 0
        m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99
        a=mid:video0
        a=ice-ufrag:u
        a=rtpmap:96 H264/90000
        a=fmtp:96 packetization-mode=1
        a=rtcp-fb:96 nack
        a=rtcp-fb:* goog-remb
        a=rtpmap:97 rtx/90000
        a=fmtp:97 apt=96
        a=rtpmap:98 VP8/90000
        a=rtpmap:99 rtx/90000
        a=fmtp:99 apt=98
        a=ssrc-group:FID 1 2
        a=ssrc:1 cname:c
        a=ssrc:2 cname:c
        m=audio 9 UDP/TLS/RTP/SAVPF 111 0
        a=mid:audio1
        a=rtpmap:111 opus/48000/2
        m=application 9 UDP/DTLS/SCTP webrtc-datachannel
        a=sctp-port:5000
        """
    )

    private static func formats(_ sdp: String) throws -> [[Int]] {
        try SessionDescription(parsing: sdp).media.map { $0.codecs.map(\.payloadType) }
    }

    @Test("Offers lose formats, then RTX, and at last all codecs but those with the shortest text")
    func codecs() throws {
        let variants = SessionDescription.reducedOffers(of: Self.offer)
        let formats = [[[96, 97], [111], []], [[96], [111], []], [[98], [0], []]]
        #expect(try variants.map(Self.formats) == formats)
        let sizes = ([Self.offer] + variants).map(\.utf8.count)
        #expect(sizes == sizes.sorted(by: >))
    }

    @Test("A reduced offer lacks only the lines of the removed formats, and is otherwise unchanged")
    func rest() throws {
        let variants = SessionDescription.reducedOffers(of: Self.offer)
        let lines = try #require(variants.dropLast().last).split(separator: "\r\n").map(String.init)
        let gone = Self.offer.split(separator: "\r\n").map(String.init).filter { !lines.contains($0) }
        #expect(
            gone == [
                "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
                "a=rtpmap:98 VP8/90000", "a=rtpmap:99 rtx/90000", "a=fmtp:99 apt=98", "a=ssrc-group:FID 1 2",
                "a=ssrc:2 cname:c", "m=audio 9 UDP/TLS/RTP/SAVPF 111 0",
            ]
        )
        #expect(variants.allSatisfy { $0.hasSuffix("\r\n") })
    }

    @Test("Chromium's offer can be reduced to one codec for audio and one for video")
    func chromium() throws {
        let variants = SessionDescription.reducedOffers(of: SampleDescriptions.chromiumOffer)
        let last = try SessionDescription(parsing: try #require(variants.last))
        #expect(last.media.filter { $0.kind != .application }.allSatisfy { $0.codecs.count == 1 })
    }

    @Test(
        "Text that is not an offer, or has nothing to remove, has no reduced form",
        arguments: ["", "garbage", "v=0\r\n"]
    )
    func nothing(_ sdp: String) {
        #expect(SessionDescription.reducedOffers(of: sdp) == [])
    }
}
