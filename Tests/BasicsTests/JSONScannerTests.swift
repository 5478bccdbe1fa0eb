import Basics
import BasicsTesting
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
    private func accepts(_ text: [UInt8]) -> Bool {
        var scanner = JSONScanner()
        return scanner.scanDocument(text.span)
    }

    private static let valid = [
        "null", "true", "false", " \t\r\n1 ", "-0", "0", "-12", "9223372036854775808", "1.5", "1e2", "1E+2",
        "25e-1", "0.0e0", "1e999", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u00e9\u0041\ud834\udd1e""#,
        #""\ud834""#, #""\uABCD\uabcd""#, #""é漢𝄞""#, "\"\u{7F}\"", "[]", "[ ]", "[1,[2],{}]", "{}",
        #"{"b":1,"a":[ ]}"#, #"{ "" : null }"#, #"{"a":1,"a":2}"#, #"{"a":{"b":{"c":[[[]]]}}}"#,
        #"[[],{},"",0]"#, " [ 1 , 2 ] ", #"{"a" : [ { } , { "b" : false } ] , "c" : "]}" }"#,
        #"["a\\","b"]"#,
    ]

    private static let invalid = [
        "", " ", "nul", "nulL", "tru", "falsee", "undefined", "1 2", "[1", "[1,]", "[,1]", "[,]", "[1 2]",
        "{",
        "}", "]", "[}", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1"b":2}"#, "{a:1}", "{1:1}", "{,}",
        #"{"a":1]"#, #"[1}"#, #"{"a",1}"#, #"["a":1]"#, #"{"a":1,2}"#, "[[]", "[]]", "{}}", "'a'", #""a"#,
        #""\"#, #""\x""#, #""\u12""#, #""\u12g4""#, #""\u+123""#, #""\ud834\u12""#, "\"\n\"", "\"\u{1F}\"",
        "\"\\n\u{1}\"", "01", "-", "-a", "+1", "--1", "1.", "1.e1", ".5", "1e", "1e+", "1e+-1", "0x1", "-01",
        "NaN", "Infinity", "\u{FEFF}1", "1\u{A0}", "[1]x", "\"a\"b", "\u{C}1", "[\"a\\\"]",
    ]

    @Test("Valid JSON is accepted by scanner and parser", arguments: valid)
    func accepted(text: String) {
        #expect(accepts(Array(text.utf8)))
        #expect((try? JSON(parsing: text)) != nil)
    }

    @Test("Invalid JSON is rejected by scanner and parser", arguments: invalid)
    func refused(text: String) {
        #expect(!accepts(Array(text.utf8)))
        #expect((try? JSON(parsing: text)) == nil)
    }

    @Test("Scanner and parser have the same depth limit", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(opening: String, closing: String) {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth))
                    .utf8
            )
        }
        for (depth, isAccepted) in [(1, true), (63, true), (64, true), (65, false), (100_000, false)] {
            #expect(accepts(nested(depth)) == isAccepted)
            #expect(((try? JSON(parsing: nested(depth))) != nil) == isAccepted)
        }
        // Closed containers do not count toward the depth.
        let wide = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(accepts(Array(wide.utf8)))
    }

    @Test("Scanner and parser limit numbers to 1024 characters", arguments: [(1024, true), (1025, false)])
    func longNumber(length: Int, isAccepted: Bool) {
        let text = Array(repeating: UInt8(ascii: "9"), count: length)
        #expect(accepts(text) == isAccepted)
        #expect(((try? JSON(parsing: text)) != nil) == isAccepted)
    }

    @Test("Scanner and parser agree on which damaged texts are valid", arguments: 0..<3000)
    func damaged(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var attachments = 0
        var text = Array(generator.json(depth: 4, attachments: &attachments).serialized().utf8)
        let bytes = Array(#"[]{}",:\u0019-+.eEtrfn "#.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let index = Int.random(in: 0..<text.count, using: &generator)
            text[index] = bytes.randomElement(using: &generator) ?? 0
        }
        // The scanner's caller must validate UTF-8.
        guard String(validating: text, as: UTF8.self) != nil else { return }
        #expect(
            accepts(text) == ((try? JSON(parsing: text)) != nil),
            "\(String(decoding: text, as: UTF8.self))"
        )
    }

    @Test("A scan starts at the given offset and stops after the value")
    func position() {
        let text = Array(#"xx[1,"]"] tail"#.utf8)
        var scanner = JSONScanner(at: 2)
        let isValue = scanner.scanValue(text.span)
        #expect(isValue)
        #expect(scanner.position == 9)
        scanner.skipWhitespace(text.span)
        #expect(scanner.position == 10)
    }
}
