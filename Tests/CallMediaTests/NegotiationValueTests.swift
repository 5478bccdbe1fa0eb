import Basics
import CallCore
import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("H.264 profiles")
struct H264ProfileTests {
    @Test(
        "The profile is read from profile-level-id regardless of the level",
        arguments: [
            ("42e01f", H264Profile.constrainedBaseline), ("42E034", .constrainedBaseline),
            ("42c00a", .constrainedBaseline),
            ("42001f", .baseline), ("4d001f", .main), ("4d8028", .constrainedBaseline), ("64001f", .high),
            ("640c1f", .constrainedHigh),
        ]
    )
    func read(_ id: String, _ profile: H264Profile) { #expect(H264Profile(profileLevelID: id) == profile) }

    @Test(
        "An invalid profile-level-id is rejected",
        arguments: [
            "", "42e01", "42e01f0", "f4001f", "58001f", "zzzzzz", "+42e01", "-2e01f", "42 01f", "４２e0",
            "\0\0\0\0\0\0",
        ]
    )
    func refused(_ id: String) { #expect(H264Profile(profileLevelID: id) == nil) }

    @Test("Every profile's prefix is parsed as that profile", arguments: H264Profile.allCases)
    func prefix(_ profile: H264Profile) {
        #expect(H264Profile(profileLevelID: profile.prefix + "1f") == profile)
        #expect(profile.decodes(profile))
        #expect(profile.decodes(.constrainedBaseline))
    }

    @Test("A decoder of High decodes Main, but a decoder of Main does not decode High")
    func order() {
        #expect(H264Profile.high.decodes(.main))
        #expect(!H264Profile.main.decodes(.high))
        #expect(!H264Profile.constrainedBaseline.decodes(.baseline))
        #expect(!H264Profile.high.decodes(.baseline))  // because of flexible macroblock ordering
    }
}

@Suite("Recording containers and media sources")
struct ContainerTests {
    @Test(
        "The container is determined by the extension, case-insensitively",
        arguments: [
            ("a.mkv", Container.mkv), ("/x.y/a.MP4", .mp4), ("a.b.webm", .webm),
        ]
    )
    func known(_ path: String, _ container: Container) { #expect(Container(path: path) == container) }

    @Test("Unknown file extensions are rejected", arguments: ["a", "a.avi", "a.", "", "mkv", "a.mkv.bak"])
    func unknown(_ path: String) { #expect(Container(path: path) == nil) }

    @Test("Each container supports audio and at least one video codec", arguments: Container.allCases)
    func codecs(_ container: Container) {
        #expect(container.codecs.contains(.opus))
        #expect(container.codecs.contains { $0.kind == .video })
    }

    @Test(
        "A keyword selects a special source, and any other text is a URL, a pipeline or a file",
        arguments: [
            ("auto", SourceChoice.auto), ("test", .test), ("pattern", .pattern), ("none", .none),
            ("camera", .camera(nil)),
            ("camera:/dev/video2", .camera("/dev/video2")), ("camera:", .camera("")),
            ("Camera", .file("Camera")),
            ("a.mp4", .file("a.mp4")), ("./auto", .file("./auto")), ("", .file("")), ("screen", .screen),
            ("https://a/b.mp4", .url("https://a/b.mp4")),
            ("rtsp://a", .url("rtsp://a")), ("mine.pipeline", .description("mine.pipeline")),
        ]
    )
    func sources(_ text: String, _ choice: SourceChoice) { #expect(SourceChoice(text) == choice) }
}

@Suite("Filter for ICE candidates")
struct CandidateFilterTests {
    private static func candidate(_ address: String, _ transport: String = "UDP") -> String {
        "candidate:1 1 \(transport) 2015363327 \(address) 53065 typ host"
    }

    @Test(
        "UDP candidates are sent unless their address is link-local",
        arguments: [
            "192.0.2.2", "10.0.0.1", "127.0.0.1", "fd00::2", "2001:db8::1", "::1", "fec0::1", "febbrua.ry",
        ]
    )
    func useful(_ address: String) { #expect(CandidateFilter.isUseful(Self.candidate(address))) }

    @Test(
        "Candidates with link-local addresses are not sent",
        arguments: ["fe80::1", "FE80::1", "fe90::1", "febf::1", "169.254.7.7"]
    )
    func linkLocal(_ address: String) { #expect(!CandidateFilter.isUseful(Self.candidate(address))) }

    @Test(
        "TCP and malformed candidates are not sent",
        arguments: [
            candidate("192.0.2.2", "TCP"), "", "candidate:", "candidate:1 1 UDP 1 192.0.2.2 9 typ",
            "a b c d e f g",
            candidate(String(repeating: "1", count: 2000)),
        ]
    )
    func useless(_ candidate: String) { #expect(!CandidateFilter.isUseful(candidate)) }

    @Test(
        "Remote candidates are accepted only if every parser finds the same address in them",
        arguments: [
            (candidate("abc.local"), true), ("a=" + candidate("192.0.2.2"), true),
            (candidate("::1", "tcp") + " tcptype active", true), (candidate("192.0.2.2") + " ", true),
            (candidate("abc.local") + " generation 0 ufrag x", true),
            ("anything", false), ("1 1 UDP 1 192.0.2.2 9 typ host", false),
            ("candidate:1 1 UDP 1 abc.local 9", false), ("candidate:1 1 UDP 1 abc.local 9 typ", false),
            ("candidate:1 1 UDP 1 abc.local 9 host typ", false),
            ("candidate:1 1  UDP abc.local 1 9 typ host", false), (" " + candidate("1"), false),
            ("candidate:1 1 UDP \u{301}1 abc.local 9 9 typ host", false),
            (candidate("1\r\na=x"), false), (candidate("1\0"), false),
            (candidate(String(repeating: "x", count: 100_000)), false),
        ]
    )
    func remote(_ candidate: String, _ isAcceptable: Bool) {
        #expect(CandidateFilter.isAcceptable(candidate) == isAcceptable)
    }
}

extension CandidateFilterTests {
    @Test("A relay candidate does not reveal its related address")
    func hidden() {
        let relayed = "candidate:4 1 UDP 1 203.0.113.1 9 typ relay raddr 192.168.1.2 rport 53065"
        let hidden = CandidateFilter.withoutRelatedAddress(relayed)
        #expect(hidden == "candidate:4 1 UDP 1 203.0.113.1 9 typ relay raddr 0.0.0.0 rport 9")
        #expect(CandidateFilter.withoutRelatedAddress("candidate:1 raddr") == "candidate:1 raddr")
    }

    @Test("An mDNS name in a candidate is distinguished from an IP address")
    func named() {
        #expect(CandidateFilter.isNamed(Self.candidate("A-b.Local")))
        #expect(!CandidateFilter.isNamed(Self.candidate("192.0.2.2")))
    }
}

@Suite("URLs of ICE servers")
struct ICEServerTextTests {
    @Test(
        "User and secret are percent-encoded for webrtcbin's URLs",
        arguments: [
            ("plain-Name_1.~", "plain-Name_1.~"), ("1700000000:ann", "1700000000%3Aann"),
            ("a@b/c?", "a%40b%2Fc%3F"),
            ("ü\n", "%C3%BC%0A"), ("", ""),
        ]
    )
    func escaped(_ text: String, _ expected: String) { #expect(ICEServerList.escaped(text) == expected) }
}
