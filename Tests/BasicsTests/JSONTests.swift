import Basics
import BasicsTesting
import Testing

@Suite("JSON")
struct JSONTests {
    private static let writable: [(JSON, String)] = [
        (JSON.null, "null"), (true, "true"), (.int(.min), "-9223372036854775808"), (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"), (1e300, "1e+300"), (.number(.nan), "null"), (.number(-.infinity), "null"),
        ("\"\\/\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}é𝄞", #""\"\\/\b\f\n\r\t\u0001\u001f"# + "\u{7F}é𝄞\""),
        (["b": [1, nil], "a": [:]], #"{"b":[1,null],"a":{}}"#), (.binary([1, 2, 3]), #""AQID""#),
    ]

    private static let readable: [(String, JSON)] = [
        ("null", JSON.null), ("true", true), ("false", false), (" \t\r\n1 ", 1), ("-0", 0), ("0", 0),
        ("-12", -12), ("9223372036854775807", .int(.max)), ("9223372036854775808", .number(0x1p63)),
        ("-9223372036854775808", .int(.min)), ("1.5", 1.5), ("1e2", 100.0), ("1E+2", 100.0),
        ("25e-1", 2.5),
        ("1e999", .number(.greatestFiniteMagnitude)), (#""""#, ""), (#""a""#, "a"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u00e9\u0041\ud834\udd1e""#, "éA𝄞"), (#""é漢𝄞""#, "é漢𝄞"), ("[]", []),
        ("[1,[2],{}]", [1, [2], [:]]),
        ("{}", [:]), (#"{"b":1,"a":[ ]}"#, ["b": 1, "a": []]), (#"{ "" : null }"#, ["": nil]),
    ]

    @Test(
        "Values of every type are parsed",
        arguments: readable
    )
    func accepted(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(
        "A lone surrogate is parsed as U+FFFD, and the text after it is kept",
        arguments: [
            (#""\ud834""#, "\u{FFFD}"), (#""\udd1ex""#, "\u{FFFD}x"), (#""\ud834\u0041""#, "\u{FFFD}A"),
            (#""\ud834\n""#, "\u{FFFD}\n"), (#""\ud834\ud834\udd1e""#, "\u{FFFD}𝄞"),
        ]
    )
    func halfSurrogates(text: String, value: String) throws {
        #expect(try JSON(parsing: text).stringValue == value)
    }

    @Test(
        "Invalid JSON is rejected with the offset of the error",
        arguments: [
            ("", JSONError.Reason.unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("nul", .unexpectedEnd, 3),
            ("nulL", .unexpectedByte, 3), ("undefined", .unexpectedByte, 0), ("1 2", .trailingText, 2),
            ("[1", .unexpectedEnd, 2), ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1),
            ("[1 2]", .unexpectedByte, 3), ("{", .unexpectedEnd, 1), (#"{"a"}"#, .unexpectedByte, 4),
            (#"{"a":}"#, .unexpectedByte, 5), (#"{"a":1,}"#, .unexpectedByte, 7),
            ("{a:1}", .unexpectedByte, 1),
            ("{1:1}", .unexpectedByte, 1), ("]", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
            (#""a"#, .unexpectedEnd, 2), (#""\"#, .unexpectedEnd, 2), (#""\x""#, .invalidEscape, 2),
            (#""\u12""#, .invalidEscape, 5), (#""\u12g4""#, .invalidEscape, 5),
            (#""\u+123""#, .invalidEscape, 3),
            (#""\ud834\u12""#, .invalidEscape, 11), ("\"\n\"", .controlCharacter, 1),
            ("\"\\n\u{1}\"", .controlCharacter, 3),
            ("01", .trailingText, 1), ("-", .unexpectedEnd, 1), ("-a", .invalidNumber, 1),
            ("+1", .unexpectedByte, 0),
            ("1.", .unexpectedEnd, 2), ("1.e1", .invalidNumber, 2), (".5", .unexpectedByte, 0),
            ("1e", .unexpectedEnd, 2),
            ("1e+", .unexpectedEnd, 3), ("0x1", .trailingText, 1), ("NaN", .unexpectedByte, 0),
            ("\u{FEFF}1", .unexpectedByte, 0), ("1\u{A0}", .trailingText, 1),
        ]
    )
    func refused(text: String, reason: JSONError.Reason, offset: Int) {
        #expect(throws: JSONError(reason: reason, offset: offset)) { try JSON(parsing: text) }
    }

    @Test(
        "A string that is not UTF-8 is rejected",
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x5C, 0x6E, 0xFF],
        ]
    )
    func invalidUTF8(bytes: [UInt8]) {
        #expect {
            try JSON(parsing: [0x22] + bytes + [0x22])
        } throws: { ($0 as? JSONError)?.reason == .invalidUTF8 }
    }

    @Test("The nesting depth is limited", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(opening: String, closing: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
        }
        _ = try JSON(parsing: nested(64))
        #expect { try JSON(parsing: nested(65)) } throws: { ($0 as? JSONError)?.reason == .tooDeep }
        #expect { try JSON(parsing: nested(500_000)) } throws: { ($0 as? JSONError)?.reason == .tooDeep }
        #expect { try JSON(parsing: "[1]", maximumDepth: 0) } throws: {
            ($0 as? JSONError)?.reason == .tooDeep
        }
    }

    @Test("The number of values is limited")
    func values() throws {
        let text = Array(#"{"a":[1,2],"b":null}"#.utf8)
        let json: JSON = ["a": [1, 2], "b": .null]
        #expect(try JSON(parsing: text, maximumValues: 5) == json)
        #expect { try JSON(parsing: text, maximumValues: 4) } throws: {
            ($0 as? JSONError)?.reason == .tooMany
        }
    }

    @Test("A number of excessive length is rejected")
    func absurdNumber() {
        #expect { try JSON(parsing: String(repeating: "9", count: 100_000)) } throws: {
            ($0 as? JSONError)?.reason == .invalidNumber
        }
    }

    @Test("Duplicate members are merged, with the position of the first and the value of the last one")
    func duplicateMembers() throws {
        #expect(try JSON(parsing: #"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
    }

    @Test("An object with very many members is parsed in linear time", .timeLimit(.minutes(4)))
    func manyMembers() throws {
        let text = "{" + (0..<200_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(try JSON(parsing: text).objectValue?.count == 200_000)
    }

    @Test(
        "Values are serialized compactly, like JSON.stringify",
        arguments: writable
    )
    func written(value: JSON, text: String) {
        #expect(value.serialized() == text)
    }

    @Test("Control characters are escaped, and escapedLength returns the length of the written text")
    func controlCharacters() throws {
        for value in UInt8(0)..<0x80 {
            let text = "é" + String(UnicodeScalar(value)) + "𝄞"
            let written = JSON.string(text).serialized()
            #expect(try JSON(parsing: written).stringValue == text)
            #expect(written.utf8.count == JSON.escapedLength(of: text) + 2)
            #expect(value >= 0x20 || written.utf8.count >= 10)
        }
    }

    @Test("A serialized value is parsed back unchanged", arguments: 0..<200)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var attachments = 0
        let value = generator.json(depth: 5, attachments: &attachments)
        #expect(try JSON(parsing: value.serialized()) == value)
    }

    @Test("A serialized floating-point number is parsed back to the same value", arguments: 0..<200)
    func shortestDigits(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = Double(bitPattern: generator.next())
        guard value.isFinite else { return }
        #expect(try JSON(parsing: JSON.number(value).serialized()).doubleValue == value)
    }

    @Test("Parsing damaged text returns a value or throws, and never traps", arguments: 0..<500)
    func damagedText(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var attachments = 0
        var text = Array(generator.json(depth: 4, attachments: &attachments).serialized().utf8)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: 0..<text.count, using: &generator)
            text[index] = UInt8.random(in: 0...255, using: &generator)
        }
        if let value = try? JSON(parsing: text) { _ = value.serialized() }
    }

    @Test("A whole number has an intValue, whether stored as integer or floating-point number")
    func wholeNumbers() {
        #expect(JSON.int(3).intValue == 3)
        #expect(JSON.number(3).intValue == 3)
        #expect(JSON.number(3.5).intValue == nil)
        #expect(JSON.number(1e300).intValue == nil)
        #expect(JSON.number(.nan).intValue == nil)
        #expect(JSON.string("3").intValue == nil)
    }

    @Test("The members of an object are found, replaced in place, appended and removed by name")
    func objectMembers() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["none"] = nil
        #expect(object == ["a": 3, "c": 4])
        #expect(object["b"] == nil)
        #expect(object.map(\.key) == ["a", "c"])
    }
}
