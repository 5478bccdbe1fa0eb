import Testing

@testable import callrunner

@Suite("Terminal text")
struct TerminalTextTests {
    @Test(
        "No text moves the cursor or changes the writing direction",
        arguments: [
            ("a\u{1B}[2Jb", "a[2Jb"), ("a\nb\r\nc", "a b c"), ("a\tb", "a b"), ("a\u{202E}b", "ab"),
            ("a\u{9B}1mb", "a1mb"), ("Zoë 🙂", "Zoë 🙂"), ("a\u{2028}b", "a b"),
        ]
    )
    func printable(text: String, expected: String) {
        #expect(TerminalText(text).printable == expected)
    }

    @Test("Wide characters count twice, so that the live line never wraps")
    func width() {
        #expect(TerminalText("abcdef").cut(to: 4) == "abc…")
        #expect(TerminalText("abcd").cut(to: 4) == "abcd")
        #expect(TerminalText("漢字漢字").cut(to: 5) == "漢字…")
        #expect(TerminalText("a🙂b").cut(to: 3) == "a…")
        #expect(TerminalText("e\u{301}x").cut(to: 2) == "e\u{301}x")
        #expect(TerminalText("abc").cut(to: 0) == "")
        #expect(TerminalText("abc").cut(to: -1) == "")
    }
}
