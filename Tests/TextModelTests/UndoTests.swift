import Testing
import TextModel

@Suite("Undo")
struct UndoTests {
    private func undone(_ edit: (inout TextEditing) -> Void) -> String {
        var field = TextEditing(rules: TextRules(isMultiline: true))
        edit(&field)
        field.undo()
        return field.marks
    }

    @Test("A typed word is one undo step")
    func word() {
        #expect(undone { $0.type("hello") } == "|")
    }

    @Test("Typing another word begins a new undo step")
    func nextWord() {
        #expect(undone { $0.type("hello  world") } == "hello  |")
    }

    @Test("Moving the caret ends an undo step")
    func movement() {
        let result = undone {
            $0.type("ab")
            $0.move(.characterBackward)
            $0.type("c")
        }
        #expect(result == "a|b")
    }

    @Test("An edit of another kind ends an undo step")
    func kinds() {
        let result = undone {
            $0.type("abc")
            $0.delete(.characterBackward)
            $0.delete(.characterBackward)
        }
        #expect(result == "abc|")
        #expect(
            undone {
                $0.type("abc")
                $0.paste("d")
            } == "abc|"
        )
    }

    @Test("Characters deleted forward are one undo step")
    func deletingForward() {
        let result = undone {
            $0.setText("one two")
            $0.move(.documentStart)
            for _ in 0..<3 { $0.delete(.characterForward) }
        }
        #expect(result == "|one two")
    }

    @Test("Undo restores the replaced text and its selection")
    func selection() {
        let result = undone {
            $0.setText("one two")
            $0.move(.wordBackward, isExtending: true)
            $0.type("2")
        }
        #expect(result == "one |two[")
    }

    @Test("Redo restores an undone step, and is unavailable after another edit")
    func redo() {
        var field = TextEditing()
        field.type("one")
        field.undo()
        #expect(field.canRedo)
        field.redo()
        #expect(field.marks == "one|")
        field.undo()
        field.type("x")
        #expect(!field.canRedo)
        field.redo()
        #expect(field.marks == "x|")
    }

    @Test("Up to two hundred steps can be undone")
    func bound() {
        var field = TextEditing()
        for _ in 0..<250 { field.paste("a") }
        while field.canUndo { field.undo() }
        #expect(field.text.count == 50)
    }

    @Test("Above a total of 1 MiB, the oldest undo steps are dropped, but never the newest one")
    func bytes() {
        var field = TextEditing(rules: TextRules(maximumBytes: 1 << 24))
        for _ in 0..<3 { field.paste(String(repeating: "a", count: 700_000)) }
        field.undo()
        #expect(!field.canUndo)
        #expect(field.text.utf8.count == 1_400_000)
    }

    @Test("Refused text does not end an undo step")
    func refused() {
        var field = TextEditing(rules: TextRules(maximumBytes: 2))
        field.type("abc")
        field.undo()
        #expect(field.marks == "|")
    }
}
