import Basics
import BasicsTesting
import Testing

@Suite("Stream-safe texts, which are cheap to compare", .timeLimit(.minutes(4)))
struct StreamSafeTextTests {
    @Test(
        "Ordinary text in any language remains unchanged",
        arguments: [
            "", "plain", String(repeating: "Việt Nam ", count: 100), String(repeating: "привіт ", count: 100),
            String(repeating: "हिन्दी ", count: 100), String(repeating: "👩‍👩‍👧‍👦", count: 100),
            String(repeating: "שָׁלוֹם ", count: 100),
            String(repeating: "Z" + String(repeating: "\u{316}", count: 30), count: 100), "a" + marks(60),
        ]
    )
    func unchanged(text: String) {
        #expect(text.isStreamSafe && Array(text.streamSafe.utf8) == Array(text.utf8))
    }

    @Test("A joiner (U+034F) is inserted after every thirty combining marks in a row")
    func joiners() {
        let text = "a" + String(repeating: "\u{301}", count: 75) + "b"
        #expect(!text.isStreamSafe && text.streamSafe.isStreamSafe)
        let scalars = Array(text.streamSafe.unicodeScalars)
        #expect(scalars.indices.filter { scalars[$0] == "\u{34F}" } == [31, 62] && scalars.count == 79)
    }

    @Test("JSON with very many combining marks is parsed, compared and searched in linear time")
    func json() throws {
        let key = "a" + marks(400_000)
        let escaped =
            "a" + String(repeating: #"\u0301"#, count: 60_000) + String(repeating: #"\u0316"#, count: 60_000)
        for name in [key, escaped] {
            let json = try JSON(parsing: #"{"\#(name)":1,"\#(name)b":"\#(name)","x":2}"#)
            #expect(json["x"] == 2 && json["y"] == nil && json != ["x": 2])
            #expect(json.objectValue?.first?.key.isStreamSafe == true)
            #expect(json.objectValue?.first?.key != "type")
        }
    }

    @Test("Names of JSON members are equal only if their bytes are equal")
    func names() throws {
        let json = try JSON(parsing: "{\"e\u{301}\":1,\"\u{E9}\":2}")
        #expect(json.objectValue?.count == 2 && json["\u{E9}"] == 2 && json["e\u{301}"] == 1)
        let many = (0..<20).map { "\"\($0)\":0" }.joined(separator: ",")
        let large = try JSON(parsing: "{\(many),\"e\u{301}\":1,\"\u{E9}\":2,\"e\u{301}\":3}")
        #expect(large.objectValue?.count == 22 && large["e\u{301}"] == 3)
    }

    @Test(
        "Invisible characters do not interrupt a row of combining marks, and the visible part is stream-safe",
        arguments: ["\u{200D}", "\u{34F}", "\u{FE0F}"]
    )
    func invisible(between: String) {
        let row = String(repeating: "\u{301}", count: 25) + between
        let text = "a" + String(repeating: row, count: 100)
        #expect(text.streamSafe.isStreamSafe)
        #expect(VisibleText.visiblePart(of: text).isStreamSafe)
        if between != "\u{34F}" { #expect(!text.isStreamSafe) }
    }

    @Test("A protocol keyword of more than 64 characters is replaced by an empty one")
    func words() {
        #expect("offer".protocolWord == "offer" && String(repeating: "x", count: 65).protocolWord.isEmpty)
    }
}
