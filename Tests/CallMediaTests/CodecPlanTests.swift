import Basics
import CallCore
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Choice of codecs")
struct CodecPlanTests {
    /// Creates a media section; each format consists of a payload type, an rtpmap and an fmtp value.
    private static func section(_ kind: MediaKind, _ formats: [(Int, String, String)]) throws -> MediaSection
    {
        var lines = ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0"]
        let types = formats.map { "\($0.0)" }.joined(separator: " ")
        lines.append("m=\(kind) 9 UDP/TLS/RTP/SAVPF \(types)")
        for (type, map, parameters) in formats {
            lines.append("a=rtpmap:\(type) \(map)")
            if !parameters.isEmpty { lines.append("a=fmtp:\(type) \(parameters)") }
        }
        let description = try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
        return try #require(description.media.first)
    }

    /// The video formats that browsers offer.
    private static let browser = [
        (96, "VP8/90000", ""), (97, "rtx/90000", "apt=96"),
        (102, "H264/90000", "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f"),
        (104, "H264/90000", "level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f"),
        (106, "H264/90000", "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"),
        (108, "H264/90000", "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=64001f"),
        (45, "AV1/90000", ""),
    ]

    private static func plan(_ codecs: [Codec] = Codec.allCases, ready: [Codec: H264Stream?] = [:])
        -> CodecPlan
    {
        var plan = CodecPlan(codecs: codecs)
        plan.passthrough = ready
        return plan
    }

    /// Returns the value of `encoding-name` in RTP caps.
    private static func name(_ caps: Substring) -> String {
        caps.split(separator: "encoding-name=(string)").last.map { String($0.prefix { $0 != "," }) } ?? ""
    }

    // MARK: Offers

    @Test("An offer lists our codecs, starting with those in which the source is encoded")
    func offerOrder() throws {
        let plan = Self.plan(ready: [.vp8: nil, .opus: nil])
        let video = try #require(plan.offerCaps(.video)).split(separator: ";")
        #expect(video.map(Self.name) == ["VP8", "H264", "H264", "VP9"])
        let audio = try #require(plan.offerCaps(.audio)).split(separator: ";")
        #expect(audio.map(Self.name) == ["OPUS", "PCMU", "PCMA"])
        #expect(audio[1].contains("payload=(int)0"))
        #expect(audio[2].contains("payload=(int)8"))
    }

    @Test("The source's H.264 profile is offered before constrained baseline, with its own payload type")
    func offerProfiles() throws {
        let caps = try #require(Self.plan([.h264], ready: [.h264: H264Stream(.high)]).offerCaps(.video))
            .split(
                separator: ";"
            )
        #expect(caps.map { $0.contains("profile-level-id=(string)64001f") } == [true, false, false])
        #expect(caps.map { $0.contains("profile-level-id=(string)42e01f") } == [false, true, true])
        #expect(caps.map { $0.contains("payload=(int)96,") } == [true, false, false])
        #expect(caps.map { $0.contains("packetization-mode=(string)1") } == [true, true, false])
    }

    @Test("A kind of media without a codec is not offered")
    func nothingToOffer() {
        #expect(Self.plan([.opus]).offerCaps(.video) == nil)
        #expect(Self.plan([.h264]).offerCaps(.audio) == nil)
    }

    // MARK: Answers

    @Test("The source's codec takes precedence over the peer's order")
    func readyFirst() throws {
        let section = try Self.section(.video, Self.browser)
        let choice = Self.plan(ready: [.h264: H264Stream(.constrainedBaseline)]).choice(
            in: section,
            kind: .video
        )
        #expect(choice?.payloadType == 106)
        #expect(choice?.h264?.profileLevelID == "42e01f")
    }

    @Test(
        "The chosen format has the source's H.264 profile, or one whose decoders also decode that profile",
        arguments: [
            (H264Profile.high, 108), (.constrainedBaseline, 106), (.baseline, 102), (.main, 108),
        ]
    )
    func profile(_ own: H264Profile, _ payloadType: Int) throws {
        let section = try Self.section(.video, Self.browser)
        let choice = Self.plan(ready: [.h264: H264Stream(own)]).choice(in: section, kind: .video)
        #expect(choice?.payloadType == payloadType)
    }

    @Test("A codec order given by the user takes precedence over the source's codec")
    func namedOrder() throws {
        var plan = Self.plan([.vp8, .h264], ready: [.h264: H264Stream(.constrainedBaseline)])
        plan.prefersReady = false
        #expect(plan.choice(in: try Self.section(.video, Self.browser), kind: .video)?.codec == .vp8)
        #expect(
            plan.offerCaps(.video)?.contains(
                "encoding-name=(string)VP8,clock-rate=(int)90000,payload=(int)96"
            ) == true
        )
        plan.codecs = [.h264, .vp8]
        let choice = plan.choice(in: try Self.section(.video, Self.browser), kind: .video)
        #expect(choice?.payloadType == 106)
    }

    @Test("A source whose H.264 profile the peer does not decode is re-encoded with our preferred codec")
    func undecodable() throws {
        let section = try Self.section(.video, [Self.browser[0], Self.browser[4]])
        let choice = Self.plan([.h264, .vp8], ready: [.h264: H264Stream(.high)]).choice(
            in: section,
            kind: .video
        )
        #expect(choice?.codec == .h264)
        #expect(choice?.h264?.profile == .constrainedBaseline)
    }

    @Test("For an unencoded source, our codec order decides, and constrained baseline is chosen for H.264")
    func ownOrder() throws {
        let section = try Self.section(.video, Self.browser)
        #expect(Self.plan([.vp8, .h264]).choice(in: section, kind: .video)?.payloadType == 96)
        #expect(Self.plan([.h264, .vp8]).choice(in: section, kind: .video)?.payloadType == 106)
    }

    @Test("Only codecs that the recording's container supports are chosen")
    func container() throws {
        let section = try Self.section(.video, Self.browser)
        #expect(Self.plan(Container.webm.codecs).choice(in: section, kind: .video)?.codec == .vp8)
        #expect(Self.plan(Container.mp4.codecs).choice(in: section, kind: .video)?.codec == .h264)
    }

    @Test("Formats with a wrong clock rate, an unknown profile or packetization mode are ignored")
    func unusable() throws {
        let section = try Self.section(
            .video,
            [
                (100, "H264/90000", "packetization-mode=2;profile-level-id=42e01f"),
                (101, "H264/90000", "packetization-mode=x;profile-level-id=42e01f"),
                (102, "H264/8000", "packetization-mode=1;profile-level-id=42e01f"),
                (103, "H264/90000", "packetization-mode=1;profile-level-id=f4001f"),
            ]
        )
        #expect(Self.plan().choice(in: section, kind: .video) == nil)
    }

    @Test(
        "An absent or malformed profile-level-id means constrained baseline",
        arguments: [
            "packetization-mode=1", "packetization-mode=1;profile-level-id=42",
            "packetization-mode=1;profile-level-id=",
        ]
    )
    func absentProfile(_ parameters: String) throws {
        let section = try Self.section(.video, [(102, "h264/90000", parameters)])
        let choice = Self.plan().choice(in: section, kind: .video)
        #expect(choice?.h264?.profile == .constrainedBaseline)
        #expect(choice?.h264?.profileLevelID == nil)
    }

    @Test(
        "In-band FEC and DTX for Opus follow the peer's parameters",
        arguments: [
            ("minptime=10;useinbandfec=1", true, false), ("useinbandfec=1; usedtx=1", true, true),
            ("UseDTX=1", false, true), ("useinbandfec=0;usedtx=0", false, false), ("", false, false),
            ("useinbandfec=yes", false, false),
        ]
    )
    func opus(_ parameters: String, _ usesInbandFEC: Bool, _ usesDTX: Bool) throws {
        let section = try Self.section(.audio, [(111, "opus/48000/2", parameters)])
        for choice in [
            Self.plan().choice(in: section, kind: .audio), Self.plan().answered(in: section, kind: .audio),
        ] {
            let opus = try #require(choice?.opus)
            #expect((opus.usesInbandFEC, opus.usesDTX) == (usesInbandFEC, usesDTX))
        }
    }

    @Test(
        "An offer requests in-band FEC for Opus, but not DTX"
    )
    func offeredOpus() throws {
        let caps = try #require(Self.plan([.opus]).offerCaps(.audio))
        #expect(caps.contains("useinbandfec=(string)1") && !caps.contains("usedtx"))
    }

    @Test("An audio codec is never chosen for a video section")
    func otherKind() throws {
        let section = try Self.section(.video, [(111, "opus/48000/2", "")])
        #expect(Self.plan(ready: [.opus: nil]).choice(in: section, kind: .video) == nil)
    }

    @Test(
        "No codec is chosen if the two sides have none in common",
        arguments: [
            [(45, "AV1/90000", "")], [(98, "VP9/90000", "profile-id=2")], [(34, "H263/90000", "")],
        ]
    )
    func nothingInCommon(_ formats: [(Int, String, String)]) throws {
        #expect(Self.plan().choice(in: try Self.section(.video, formats), kind: .video) == nil)
    }

    @Test("From an answer, the first format that we support is selected")
    func answered() throws {
        let section = try Self.section(.video, Self.browser)
        #expect(Self.plan().answered(in: section, kind: .video)?.codec == .vp8)
        #expect(Self.plan([.h264]).answered(in: section, kind: .video)?.payloadType == 102)
        #expect(Self.plan([.opus]).answered(in: section, kind: .audio) == nil)
    }

    @Test("No codec is selected from a rejected section")
    func refused() throws {
        let text = "v=0\r\nm=video 0 UDP/TLS/RTP/SAVPF 96\r\na=rtpmap:96 VP8/90000\r\n"
        let section = try #require(try SessionDescription(parsing: text).media.first)
        #expect(Self.plan().answered(in: section, kind: .video) == nil)
    }

    @Test(
        "The answer's caps contain the offered payload type and profile, and no other text of the peer"
    )
    func answerCaps() throws {
        let hostile = "packetization-mode=1;profile-level-id=42e01f,x=(string)y"
        let section = try Self.section(.video, [Self.browser[4], (99, "H264/90000", hostile)])
        let plan = Self.plan([.h264])
        let caps = CodecPlan.answerCaps(try #require(plan.choice(in: section, kind: .video)))
        #expect(caps.contains("payload=(int)106"))
        #expect(caps.hasSuffix("profile-level-id=(string)42e01f"))
        let other = try #require(
            plan.choice(in: try Self.section(.video, [(99, "H264/90000", hostile)]), kind: .video)
        )
        #expect(!CodecPlan.answerCaps(other).contains("x="))
    }
}
