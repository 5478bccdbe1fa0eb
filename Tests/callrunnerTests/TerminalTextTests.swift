import Testing

@testable import callrunner

@Suite("Terminal text")
struct TerminalTextTests {
    @Test(
        "Characters that move the cursor or change the writing direction are removed from text",
        arguments: [
            ("a\u{1B}[2Jb", "a[2Jb"), ("a\nb\r\nc", "a b c"), ("a\tb", "a b"), ("a\u{202E}b", "ab"),
            ("a\u{9B}1mb", "a1mb"), ("Zoë 🙂", "Zoë 🙂"), ("a\u{2028}b", "a b"),
        ]
    )
    func printable(text: String, expected: String) {
        #expect(TerminalText(text).printable == expected)
    }

    @Test(
        "A run of blanks is shortened so that it cannot reach the next line of the terminal",
        arguments: ["\u{A0}", "\u{3000}", "\u{2003}", "\u{3164}", "\u{2800}", " \u{A0}"]
    )
    func narrow(blank: String) {
        let text = TerminalText("ok" + String(repeating: blank, count: 80) + "21:58 › You: I owe you").narrow
        #expect(text.unicodeScalars.count == 2 + 4 + 22)
        #expect(text.hasPrefix("ok") && text.hasSuffix("21:58 › You: I owe you"))
        #expect(TerminalText("a  b    c").narrow == "a  b    c")
    }

    @Test("A wide character counts as two columns when text is cut to a width")
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
