import Testing

@testable import CallMedia
@testable import MediaKit

@Suite("File name templates")
struct NameTemplateTests {
    private static func path(_ text: String, _ values: [NameTemplate.Placeholder: String]) throws -> String {
        try NameTemplate(text).filled(values).path
    }

    @Test("Placeholders with a value are filled in, and others remain")
    func filled() throws {
        let template = try NameTemplate("calls/{room}-{name}-{peer}-{time}-{call}-{segment}.mkv")
        #expect(template.placeholders == Set(NameTemplate.Placeholder.allCases))
        let known = template.filled([.room: "7", .name: "Ann", .time: "now", .call: "2"])
        #expect(known.path == "calls/7-Ann-{peer}-now-2-{segment}.mkv")
        #expect(known.placeholders == [.peer, .segment])
        #expect(known.filled([.peer: "Bob", .segment: "3"]).path == "calls/7-Ann-Bob-now-2-3.mkv")
    }

    @Test("A path without placeholders is unchanged", arguments: ["a.mkv", "../b/~c.mkv", "", "/x/.y"])
    func plain(_ path: String) throws {
        #expect(try NameTemplate(path).path == path)
        #expect(try NameTemplate(path).placeholders.isEmpty)
    }

    @Test("A doubled brace is a literal brace")
    func braces() throws {
        #expect(try Self.path("{{{room}}}.mkv", [.room: "1"]) == "{1}.mkv")
        #expect(NameTemplate(literal: "{x}.mkv").path == "{x}.mkv")
    }

    @Test(
        "An invalid template is rejected",
        arguments: ["{unknown}.mkv", "{}.mkv", "{room", "room}.mkv", "{Room}.mkv", "{ room }.mkv"]
    )
    func refused(_ text: String) {
        #expect(throws: NameTemplate.Problem.self) { try NameTemplate(text) }
    }

    @Test(
        "A value cannot lead out of the folder, hide the file or look like a command-line flag",
        arguments: [
            ("../../etc/passwd", "_._.._etc_passwd"), ("..", "_."), (".hidden", "_hidden"), ("-rf", "_rf"),
            ("~root", "_root"), ("a/b\\c", "a_b_c"), ("a\u{0}b\nc", "a_b_c"), ("", "_"),
            ("\u{202E}gpj.exe", "_gpj.exe"), ("{room}", "{room}"), ("Zoë Ünal", "Zoë Ünal"),
        ]
    )
    func harmless(_ value: String, _ expected: String) throws {
        #expect(try Self.path("{peer}.mkv", [.peer: value]) == "\(expected).mkv")
    }

    @Test("A long value is truncated between Unicode scalars")
    func long() throws {
        let path = try Self.path("{peer}", [.peer: String(repeating: "é", count: 500)])
        #expect(path.utf8.count == 64)
        #expect(path.allSatisfy { $0 == "é" })
    }

    @Test("A placeholder inside a filled-in value is not replaced")
    func once() throws {
        let filled = try NameTemplate("{peer}-{room}").filled([.peer: "{room}"]).filled([.room: "7"])
        #expect(filled.path == "{room}-7")
    }
}
