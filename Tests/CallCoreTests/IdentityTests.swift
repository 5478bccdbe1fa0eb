import CallCore
import Testing

@Suite("Identity")
struct IdentityTests {
    @Test(
        "A username has 1 to 64 characters, of 256 bytes in all at most, and is trimmed",
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
        "A username of no characters, too many, too many bytes or unprintable ones is refused",
        arguments: [
            "", "  ", String(repeating: "x", count: 65), "a\u{7}b", "a" + String(repeating: " ", count: 1024),
            "e" + String(repeating: "\u{301}", count: 128),
        ]
    )
    func refused(text: String) {
        #expect(throws: IdentityError.self) { try Username(text) }
    }

    @Test("A refusal quotes no more than a line of what it refuses")
    func quoted() {
        let text = String(repeating: "\u{301}", count: 10_000)
        #expect(throws: IdentityError.roomID(String(repeating: "\u{301}", count: 80))) { try RoomID(text) }
        #expect(throws: IdentityError.username(String(repeating: "\u{301}", count: 80))) {
            try Username(text)
        }
    }
}
