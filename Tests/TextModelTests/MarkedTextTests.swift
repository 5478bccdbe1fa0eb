import Testing
import TextModel

@Suite("Marked text of an input method, and masked text")
struct MarkedTextTests {
    @Test("Marked text is displayed at the caret and is not part of the text")
    func display() {
        var field = TextEditing(marks: "a|b")
        field.setMarkedText("かん", selection: 1..<2)
        #expect(field.text == "ab")
        #expect(field.displayed.string == "aかんb")
        #expect(field.displayed.marked == DisplayedPosition(1)..<DisplayedPosition(7))
        #expect(field.displayed.markedSelection == DisplayedPosition(4)..<DisplayedPosition(7))
        #expect(field.displayed.caret == DisplayedPosition(7))
    }

    @Test("Committing marked text replaces the selection as one undo step")
    func commit() {
        var field = TextEditing(marks: "a[xy|b")
        field.setMarkedText("漢", selection: 0..<1)
        #expect(field.displayed.string == "a漢b")
        field.commitMarkedText()
        #expect(field.marks == "a漢|b")
        #expect(field.marked == nil)
        field.undo()
        #expect(field.marks == "a[xy|b")
    }

    @Test("Cancelling marked text leaves the text and the selection unchanged")
    func cancel() {
        var field = TextEditing(marks: "a[xy|b")
        field.setMarkedText("漢", selection: 0..<1)
        field.cancelMarkedText()
        #expect(field.marks == "a[xy|b")
        #expect(field.displayed.string == "axyb")
        field.setMarkedText("漢", selection: 0..<1)
        field.setMarkedText("", selection: 0..<0)
        #expect(field.marked == nil)
    }

    @Test("Marked text is cancelled by a movement and by an edit")
    func implicitCancel() {
        var field = TextEditing(marks: "ab|")
        field.setMarkedText("か", selection: 0..<0)
        field.move(.characterBackward)
        #expect(field.marked == nil)
        field.setMarkedText("か", selection: 0..<0)
        field.insert("x")
        #expect(field.marks == "ax|b")
    }

    @Test("A selection beyond or inside a character of marked text is moved to character boundaries")
    func selection() {
        var field = TextEditing(marks: "a|b")
        field.setMarkedText("e\u{301}", selection: 1..<99)
        #expect(field.displayed.markedSelection == DisplayedPosition(1)..<DisplayedPosition(4))
    }

    @Test("Positions in the text and in the displayed text with marked text are translated into each other")
    func positions() {
        var field = TextEditing(marks: "a[xy|b")
        field.setMarkedText("漢字", selection: 0..<0)
        let displayed = field.displayed
        #expect(displayed.position(of: TextPosition(4)) == DisplayedPosition(8))
        #expect(displayed.position(for: DisplayedPosition(8)) == TextPosition(4))
        #expect(displayed.position(for: DisplayedPosition(7)) == TextPosition(1))
        #expect(displayed.position(for: DisplayedPosition(0)) == TextPosition(0))
    }

    @Test("A masked text displays one mask for each character")
    func mask() {
        let field = TextEditing(marks: "pé👩‍👩‍👧|x", rules: TextRules(mask: "•"))
        #expect(field.displayed.string == "••••")
        #expect(field.displayed.caret == DisplayedPosition(9))
        #expect(field.displayed.position(for: DisplayedPosition(9)) == field.selection.head)
        #expect(field.displayed.position(for: DisplayedPosition(99)) == TextPosition(field.text.utf8.count))
    }

    @Test("Marked text in a masked field is masked")
    func maskedMarkedText() {
        var field = TextEditing(marks: "a|b", rules: TextRules(mask: "•"))
        field.setMarkedText("かん", selection: 2..<2)
        #expect(field.displayed.string == "••••")
        #expect(field.displayed.caret == DisplayedPosition(9))
        #expect(field.displayed.position(for: DisplayedPosition(12)) == TextPosition(2))
    }
}
