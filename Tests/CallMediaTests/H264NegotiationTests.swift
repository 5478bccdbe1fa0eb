import Basics
import CallCore
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("Negotiation of H.264")
struct H264NegotiationTests {
    private static func section(_ formats: [(Int, String)]) throws -> MediaSection {
        var lines = ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0"]
        lines.append("m=video 9 UDP/TLS/RTP/SAVPF " + formats.map { "\($0.0)" }.joined(separator: " "))
        for (type, parameters) in formats {
            lines += ["a=rtpmap:\(type) H264/90000", "a=fmtp:\(type) \(parameters)"]
        }
        let description = try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
        return try #require(description.media.first)
    }

    /// The H.264 formats that Chromium offers: profiles in both packetization modes.
    private static let chromium = [
        (103, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f"),
        (107, "level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42001f"),
        (109, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"),
        (115, "level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f"),
        (117, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=4d001f"),
        (39, "level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=4d001f"),
        (119, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=64001f"),
    ]

    private static func plan(_ own: H264Stream?, level: H264Level = .level3_1) -> CodecPlan {
        var plan = CodecPlan(codecs: [.h264])
        if let own { plan.passthrough = [.h264: own] }
        plan.level = level
        return plan
    }

    // MARK: Levels

    @Test(
        "The lowest level for a size and frame rate is found",
        arguments: [
            (VideoMode(width: 176, height: 144, rate: 15), H264Level.level1),
            (VideoMode(width: 640, height: 360, rate: 30), .level3),
            (VideoMode(width: 1280, height: 720, rate: 30), .level3_1),
            (VideoMode(width: 720, height: 1280, rate: 30), .level3_1),
            (VideoMode(width: 1280, height: 720, rate: 60), .level3_2),
            (VideoMode(width: 1920, height: 1080, rate: 30), .level4),
            (VideoMode(width: 1920, height: 1080, rate: 60), .level4_2),
            (VideoMode(width: 3840, height: 2160, rate: 30), .level5_1),
            (VideoMode(width: 65_536, height: 65_536, rate: 1000), .level6_2),
        ]
    )
    func lowestLevel(_ mode: VideoMode, _ level: H264Level) { #expect(H264Level(holding: mode) == level) }

    @Test(
        "The level is read from profile-level-id, where 1b is 1.1 with a flag, or 9 in the high profiles",
        arguments: [
            ("42e01f", H264Level.level3_1), ("640028", .level4), ("42e034", .level5_2), ("42f00b", .level1b),
            ("42e00b", .level1_1), ("640009", .level1b), ("42e0ff", .level6_2), ("42e000", .level1),
            ("42e01d", .level2_2),
        ]
    )
    func readLevel(_ id: String, _ level: H264Level) { #expect(H264Level(profileLevelID: id) == level) }

    @Test("Every level survives encoding and parsing", arguments: H264Level.allCases)
    func writtenLevel(_ level: H264Level) {
        for profile in H264Profile.allCases {
            let id = profile.identifier(level)
            #expect(H264Level(profileLevelID: id) == level, "\(id)")
            #expect(H264Profile(profileLevelID: id) == profile, "\(id)")
        }
    }

    @Test("Only GStreamer's level names are accepted")
    func namedLevel() {
        #expect(H264Level(gstreamerName: "3.1") == .level3_1)
        #expect(H264Level(gstreamerName: "4") == .level4)
        #expect(H264Level(gstreamerName: "1b") == .level1b)
        for text in ["", "4.0", "3.3", "7", "-1"] { #expect(H264Level(gstreamerName: text) == nil) }
    }

    // MARK: Offers

    @Test("The offered level covers the source's video")
    func offeredLevel() throws {
        let caps = try #require(Self.plan(H264Stream(.high, .level4), level: .level4).offerCaps(.video))
        #expect(caps.contains("profile-level-id=(string)640028"))
        #expect(caps.contains("profile-level-id=(string)42e028"))
        #expect(!caps.contains("1f"))
    }

    // MARK: Answers

    @Test("If level asymmetry is allowed, a file above the peer's level is sent without transcoding")
    func asymmetry() throws {
        let plan = Self.plan(H264Stream(.high, .level4), level: .level4)
        let choice = try #require(plan.choice(in: try Self.section(Self.chromium), kind: .video))
        #expect(choice.payloadType == 119)
        #expect(CodecPlan.accepts(choice, H264Stream(.high, .level4)))
        #expect(choice.limit == nil)
    }

    @Test("Without level asymmetry, a file above the peer's level is re-encoded within that level")
    func symmetry() throws {
        let section = try Self.section([(96, "packetization-mode=1;profile-level-id=42e01f")])
        let own = H264Stream(.constrainedBaseline, .level4)
        let choice = try #require(Self.plan(own, level: .level4).choice(in: section, kind: .video))
        #expect(!CodecPlan.accepts(choice, own))
        #expect(choice.limit == H264Level.level3_1.demand)
        #expect(CodecPlan.accepts(choice, H264Stream(.constrainedBaseline, .level3_1)))
    }

    @Test("An answer without level asymmetry limits both sides to the lower level")
    func narrowedAnswer() throws {
        let section = try Self.section([(96, "packetization-mode=1;profile-level-id=42e033")])
        let choice = try #require(Self.plan(nil, level: .level4).answered(in: section, kind: .video))
        #expect(choice.limit == H264Level.level4.demand)
    }

    @Test(
        "max-fs and max-mbps raise the level's limits, at most to level 6.2; invalid values are ignored",
        arguments: [
            ("max-fs=8160;max-mbps=244800", 8160, 244_800), ("max-fs=10", 3600, 108_000),
            ("max-fs=-5;max-mbps=x", 3600, 108_000),
            ("max-fs=99999999999", 139_264, 108_000), ("max-fs=9999999999999999999999", 3600, 108_000),
        ]
    )
    func promises(_ parameters: String, _ macroblocks: Int, _ perSecond: Int) throws {
        let section = try Self.section([(96, "packetization-mode=1;profile-level-id=42e01f;\(parameters)")])
        let choice = try #require(Self.plan(nil).choice(in: section, kind: .video))
        let wanted = H264Level.Demand(macroblocks: macroblocks, macroblocksPerSecond: perSecond)
        #expect(choice.limit == wanted)
    }

    // MARK: Packetization

    @Test("Packetization mode 0 is used only if no other is offered, and always with our own encoder")
    func singleUnits() throws {
        let section = try Self.section([Self.chromium[1], Self.chromium[3]])
        let own = H264Stream(.constrainedBaseline)
        let choice = try #require(Self.plan(own).choice(in: section, kind: .video))
        #expect(choice.payloadType == 115)
        #expect(choice.pipelineName == "h264-single")
        #expect(!CodecPlan.accepts(choice, own))
        let both = try #require(Self.plan(nil).choice(in: try Self.section(Self.chromium), kind: .video))
        #expect(both.payloadType == 109)
        #expect(both.pipelineName == "h264")
    }

    @Test("A payload type that GStreamer's payloaders do not support is ignored")
    func staticType() throws {
        let section = try Self.section([Self.chromium[5]])
        #expect(Self.plan(nil).choice(in: section, kind: .video) == nil)
    }

    @Test("An absent packetization mode means mode 0")
    func absentMode() throws {
        let section = try Self.section([(96, "profile-level-id=42e01f")])
        let choice = try #require(Self.plan(nil).choice(in: section, kind: .video))
        #expect(choice.h264?.packetizationMode == .singleUnit)
    }

    // MARK: Scaling

    @Test(
        "Video that exceeds a level is scaled down in its aspect ratio, and never scaled up",
        arguments: [
            (VideoMode(width: 1920, height: 1080, rate: 30), H264Level.level3_1),
            (VideoMode(width: 1080, height: 1920, rate: 30), .level3_1),
            (VideoMode(width: 1280, height: 720, rate: 60), .level3_1),
            (VideoMode(width: 3840, height: 2160, rate: 60), .level1),
            (VideoMode(width: 8000, height: 16, rate: 30), .level2),
            (VideoMode(width: 65_536, height: 65_536, rate: 1000), .level1),
        ]
    )
    func shrunk(_ mode: VideoMode, _ level: H264Level) {
        let shrunk = mode.shrunk(to: level.demand)
        #expect(shrunk.width <= mode.width && shrunk.height <= mode.height)
        #expect(shrunk.width % 2 == 0 && shrunk.height % 2 == 0)
        guard mode.rate < 1000 else { return }  // at this rate, a single macroblock exceeds the level
        #expect(shrunk.demand.fits(level.demand), "\(shrunk)")
        guard mode.height > 16 else { return }
        let (before, after) = (
            Double(mode.width) / Double(mode.height), Double(shrunk.width) / Double(shrunk.height)
        )
        #expect(abs(before / after - 1) < 0.05, "\(shrunk)")
    }

    @Test("Video within the level keeps its size, even an odd width or height")
    func fitting() {
        let mode = VideoMode(width: 639, height: 359, rate: 30)
        #expect(mode.shrunk(to: H264Level.level3_1.demand) == mode)
    }
}

@Suite("Codec names of a peer")
struct CodecNamesTests {
    @Test("Each codec is listed once, by payload type if it has no name; RTX and similar formats are omitted")
    func names() throws {
        let text = """
            v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111 9 13 110 77\r\na=rtpmap:111 opus/48000/2\r\n\
            a=rtpmap:13 CN/8000\r\na=rtpmap:110 telephone-event/48000\r\n\
            m=video 9 UDP/TLS/RTP/SAVPF 96 97\r\na=rtpmap:96 VP8/90000\r\na=rtpmap:97 rtx/90000\r\n
            """
        let description = try SessionDescription(parsing: text)
        #expect(CodecNames.offered(in: description.media) == ["opus", "G722", "payload type 77", "VP8"])
    }

    @Test("The list of codec names is bounded and printable for any session description")
    func bounded() throws {
        var lines = [
            "v=0", "m=video 9 UDP/TLS/RTP/SAVPF " + (0...127).map(String.init).joined(separator: " "),
        ]
        lines += (0...127).map { "a=rtpmap:\($0) \(String(repeating: "x\u{1b}", count: 50))\($0)/90000" }
        let description = try SessionDescription(parsing: lines.joined(separator: "\r\n") + "\r\n")
        let names = CodecNames.offered(in: description.media)
        #expect(names.count <= 16)
        #expect(names.allSatisfy { $0.count <= 20 && !$0.contains("\u{1b}") })
    }
}
