import Basics
import Testing

@Suite("Visible texts")
struct VisibleTextTests {
    @Test("A text is trimmed and normalized, and has at least one character and at most the maximum")
    func length() {
        #expect(VisibleText(" Zoe\u{308}\n", maximum: 3)?.value == "Zo\u{EB}")
        for (text, maximum) in [("", 3), (" \t", 3), ("abcd", 3), ("a", 0), ("a", -1)] {
            #expect(VisibleText(text, maximum: maximum) == nil)
        }
    }

    @Test("The bytes of a text are limited in proportion to its characters")
    func bytes() {
        let family = "👩‍👩‍👧"
        #expect(VisibleText(family, maximum: 4) == nil)
        #expect(VisibleText(family, maximum: 4, bytesPerCharacter: 5)?.value == family)
        let space = String(repeating: " ", count: 100)
        #expect(VisibleText("\(space)a", maximum: 1) == nil)
    }

    @Test("Line feeds are part of a text only where they are allowed")
    func lines() {
        #expect(VisibleText("one\ntwo", maximum: 10) == nil)
        #expect(VisibleText("one\ntwo", maximum: 10, hasLines: true)?.value == "one\ntwo")
        for text in ["one\r\ntwo", "one\u{2028}two", "a\u{200D}\nb", "a\n\u{200D}b"] {
            #expect(VisibleText(text, maximum: 10, hasLines: true) == nil)
        }
    }
}
