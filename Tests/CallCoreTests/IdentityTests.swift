import Basics
import CallCore
import Testing

@Suite("Usernames and room numbers")
struct IdentityTests {
    @Test(
        "A username has 1 to 64 characters and at most 256 bytes, and is trimmed",
        arguments: [
            "A", " Ann\t", String(repeating: "x", count: 64), String(repeating: "\u{1F600}", count: 64),
            "e" + String(repeating: "\u{301}", count: 127),
        ]
    )
    func username(text: String) throws {
        let isTrimmed = try Username(text).value.allSatisfy { !$0.isWhitespace }
        #expect(isTrimmed)
    }

    @Test(
        "An empty, too long or unprintable username is refused",
        arguments: [
            "", "  ", String(repeating: "x", count: 65), "a\u{7}b", "a" + String(repeating: " ", count: 1024),
            "e" + String(repeating: "\u{301}", count: 128),
        ]
    )
    func refused(text: String) {
        #expect(throws: IdentityError.self) { try Username(text) }
    }

    @Test(
        "Usernames are stored in Unicode form NFC, so that equivalent names are equal",
        arguments: [("e\u{301}", "\u{E9}"), ("\u{1100}\u{1161}", "\u{AC00}"), ("\u{212B}", "\u{C5}")]
    )
    func normalized(text: String, expected: String) throws {
        let name = try Username(text)
        #expect(Array(name.value.unicodeScalars) == Array(expected.unicodeScalars))
        #expect(name == (try Username(expected)))
    }

    private static let invisibleScalars: [Unicode.Scalar] =
        ([0x00, 0x1B, 0x7F, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029]
        + Array(0x202A...0x202E) + Array(0x2060...0x2069)
        + [0x2800, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFF9, 0xFFFE, 0xE0001, 0xE0061, 0xE0100])
        .compactMap(Unicode.Scalar.init)

    @Test(
        "A username with an invisible character in any position is refused",
        arguments: invisibleScalars
    )
    func invisible(scalar: Unicode.Scalar) {
        for text in ["ann\(scalar)", "\(scalar)ann", "an\(scalar)n", "ann \(scalar)"] {
            #expect(throws: IdentityError.self) { try Username(text) }
        }
    }

    @Test(
        "Zero-width joiners are allowed between visible characters, and variation selectors after emoji",
        arguments: [
            ("👩‍👩‍👧", true), ("می‌خواهم", true), ("क्‍ष", true), ("❤️‍🔥", true), ("Ann ❤️", true),
            ("1️⃣", true),
            ("ann\u{200D}", false), ("\u{200C}ann", false), ("an\u{200D}\u{200D}n", false),
            ("ann \u{200D}bob", false), ("ann\u{200D} bob", false), ("ann1\u{FE0F}", false),
            ("a\u{FE0F}", false), ("❤\u{FE0F}\u{FE0F}", false), ("\u{FE0F}", false), ("\u{200D}", false),
        ]
    )
    func joiners(text: String, isName: Bool) {
        #expect(((try? Username(text)) != nil) == isName)
    }

    @Test("The visible part of a text has no invisible characters and no surrounding whitespace")
    func visiblePart() throws {
        for text in ["ann", " ann\n", "an\u{200B}n", "\u{202E}ann\u{FEFF}", "an\u{200D}n"] {
            #expect(VisibleText.visiblePart(of: text) == "ann")
        }
        #expect(try Username("an\u{200D}n").visiblePart == "ann")
        #expect(VisibleText.visiblePart(of: "\u{200B} ") == "")
    }

    @Test("The error about an invalid username or room number quotes at most 80 Unicode scalars")
    func quoted() {
        let text = String(repeating: "\u{301}", count: 10_000)
        #expect(throws: IdentityError.roomID(String(repeating: "\u{301}", count: 80))) { try RoomID(text) }
        #expect(throws: IdentityError.username(String(repeating: "\u{301}", count: 80))) {
            try Username(text)
        }
    }
}
