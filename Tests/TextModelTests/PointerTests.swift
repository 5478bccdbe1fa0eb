import Testing
import TextModel

@Suite("Selecting with the pointer")
struct PointerTests {
    private func pressed(_ text: String, x: Double, y: Double = 0, clicks: Int = 1) -> String {
        TextEditing(text, rules: TextRules(isMultiline: true)).after {
            $0.press(at: TextPoint(x: x, y: y), clicks: clicks, in: $0.layout)
        }
    }

    @Test("A click moves the caret to the nearest position")
    func click() {
        #expect(pressed("abc\ndef", x: 1.4, y: 1) == "abc\nd|ef")
        #expect(pressed("abc\ndef", x: 1.6, y: 1) == "abc\nde|f")
        #expect(pressed("abc\ndef", x: 99, y: -9) == "abc|\ndef")
    }

    @Test("A double click selects the word at the pointer, even in the right half of its last character")
    func doubleClick() {
        #expect(pressed("say it's ok", x: 7.9, clicks: 2) == "say [it's| ok")
        #expect(pressed("a  ...b", x: 1.5, clicks: 2) == "a[  |...b")
        #expect(pressed("a  ...b", x: 4.5, clicks: 2) == "a  [...|b")
    }

    @Test("A double click to the right of a line selects its last word")
    func doubleClickBehind() {
        #expect(pressed("one two\nx", x: 50, clicks: 2) == "one [two|\nx")
        #expect(pressed("one\n\nx", x: 5, y: 1, clicks: 2) == "one\n|\nx")
    }

    @Test("A triple click selects the line without its line break")
    func tripleClick() {
        #expect(pressed("one\ntwo three\nx", x: 2, y: 1, clicks: 3) == "one\n[two three|\nx")
    }

    @Test("Shift and click extend the selection")
    func shiftClick() {
        let field = TextEditing(marks: "a|bcdef")
        let result = field.after { $0.press(at: TextPoint(x: 4, y: 0), isExtending: true, in: $0.layout) }
        #expect(result == "a[bcd|ef")
    }

    @Test(
        "After a double or triple click, a drag extends the selection by words or lines, in both directions",
        arguments: [
            (1, 6.0, "one t[w|o three"), (1, 1.0, "o|ne t[wo three"), (2, 9.0, "one [two three|"),
            (2, 1.0, "|one two[ three"), (3, 1.0, "[one two three|"),
        ]
    )
    func drag(clicks: Int, x: Double, expected: String) {
        let result = TextEditing("one two three").after {
            $0.press(at: TextPoint(x: 5, y: 0), clicks: clicks, in: $0.layout)
            $0.drag(to: TextPoint(x: x, y: 0), in: $0.layout)
        }
        #expect(result == expected)
    }

    @Test("An edit ends a drag")
    func editDuringDrag() {
        let result = TextEditing("one two three").after {
            $0.press(at: TextPoint(x: 5, y: 0), in: $0.layout)
            $0.insert("x")
            $0.drag(to: TextPoint(x: 9, y: 0), in: $0.layout)
        }
        #expect(result == "one tx|wo three")
    }

    @Test("A double click in a masked text selects all of it")
    func masked() {
        let result = TextEditing("one two", rules: TextRules(mask: "•")).after {
            $0.press(at: TextPoint(x: 1, y: 0), clicks: 2, in: $0.layout)
        }
        #expect(result == "[one two|")
    }
}
