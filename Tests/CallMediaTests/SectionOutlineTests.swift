import CallCore
import Testing

@testable import CallMedia

@Suite("Sections and transports of a description")
struct SectionOutlineTests {
    /// Returns a description with these lines at session level, and then with these sections.
    private static func text(_ session: [String], _ sections: [[String]]) -> String {
        (["v=0", "o=- 1 1 IN IP4 0.0.0.0"] + session + sections.joined()).map { $0 + "\r\n" }.joined()
    }

    private static func section(_ kind: String, _ mid: String, _ more: [String] = []) -> [String] {
        ["m=\(kind) 9 UDP/TLS/RTP/SAVPF 0", "a=mid:\(mid)"] + more
    }

    private static let first = text(["a=group:BUNDLE a v"], [section("audio", "a"), section("video", "v")])

    private static func objection(to session: [String], _ sections: [[String]]) throws -> String? {
        try SectionOutline(of: first).objection(to: SectionOutline(of: text(session, sections)))
    }

    @Test("A later offer may reject and append sections")
    func accepted() throws {
        let bundle = ["a=group:BUNDLE a v"]
        let (audio, video) = (Self.section("audio", "a"), Self.section("video", "v"))
        #expect(try Self.objection(to: bundle, [audio, video]) == nil)
        #expect(
            try Self.objection(to: ["a=group:BUNDLE a v x"], [audio, video, Self.section("video", "x")])
                == nil
        )
        let stopped = ["m=video 0 UDP/TLS/RTP/SAVPF 0", "a=mid:v"]
        #expect(try Self.objection(to: ["a=group:BUNDLE a"], [audio, stopped]) == nil)
    }

    @Test(
        "A later offer may not change the first section of the BUNDLE group",
        arguments: [
            [], ["a=group:BUNDLE v a"], ["a=group:BUNDLE"], ["a=group:LS a v", "a=group:BUNDLE a v"],
            ["a= group:BUNDLE a v"], ["a=group:BUNDLE  a v"], ["a=group:BUNDLE a\u{301} v"],
        ]
    )
    func bundle(_ session: [String]) throws {
        let objection = try Self.objection(
            to: session,
            [Self.section("audio", "a"), Self.section("video", "v")]
        )
        #expect(objection == "it changes the BUNDLE group")
    }

    @Test(
        "A later offer may not move, rename or remove sections",
        arguments: [
            [section("audio", "a")], [section("video", "v"), section("audio", "a")],
            [section("audio", "a"), section("video", "w")], [section("video", "a"), section("video", "v")],
            [section("audio", "a"), ["m=video 9 UDP/TLS/RTP/SAVPF 0", "a=mid:\u{301}v"]],
            [section("audio", "a"), ["m=video 9 UDP/TLS/RTP/SAVPF 0"]],
        ]
    )
    func sections(_ sections: [[String]]) throws {
        #expect(try Self.objection(to: ["a=group:BUNDLE a v"], sections) != nil)
    }

    @Test(
        "Ambiguous mids are refused",
        arguments: [
            [section("audio", "a"), section("video", "a")],
            [section("audio", "a", ["a=mid:b"]), section("video", "v")],
            [section("audio", "a"), section("video", "v", ["a=mid:a"])],
        ]
    )
    func ambiguous(_ sections: [[String]]) {
        #expect(throws: CallMediaFailure.self) { try SectionOutline(of: Self.text([], sections)) }
    }

    @Test(
        "The description for webrtcbin omits candidates, SSRCs of other sections, and attributes after white space"
    )
    func readable() {
        let (source, group) = ("a=ssrc:7 cname:x", "a=ssrc-group:FID 7 8")
        let hidden = ["a= ssrc:9 cname:x", "a=\tmid:x", "a=", "a=candidate:1 1 udp 1 192.0.2.1 9 typ host"]
        let sections = ["a", "v", "w"].map { Self.section("video", $0, [source, group] + hidden) }
        let expected = ["a", "v", "w"].map { Self.section("video", $0, $0 == "v" ? [source, group] : []) }
        var known: Set<Substring> = []
        let readable = ReadableDescription.text(
            of: Self.text(["a= group:BUNDLE a"], sections),
            sourcesOf: [1],
            known: &known
        )
        #expect(known == ["a=ssrc:7"])
        #expect(readable == Self.text([], expected))
    }
}
