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

    @Test("A typed word is one step")
    func word() {
        #expect(undone { $0.type("hello") } == "|")
    }

    @Test("The next word begins a step")
    func nextWord() {
        #expect(undone { $0.type("hello  world") } == "hello  |")
    }

    @Test("A movement of the caret ends a step")
    func movement() {
        let result = undone {
            $0.type("ab")
            $0.move(.characterBackward)
            $0.type("c")
        }
        #expect(result == "a|b")
    }

    @Test("Another kind of edit ends a step")
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

    @Test("Characters deleted forward are one step")
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

    @Test("Two hundred steps can be undone")
    func bound() {
        var field = TextEditing()
        for _ in 0..<250 { field.paste("a") }
        while field.canUndo { field.undo() }
        #expect(field.text.count == 50)
    }

    @Test("Above a total of 1 MiB, the oldest steps are forgotten, but never the newest one")
    func bytes() {
        var field = TextEditing(rules: TextRules(maximumBytes: 1 << 24))
        for _ in 0..<3 { field.paste(String(repeating: "a", count: 700_000)) }
        field.undo()
        #expect(!field.canUndo)
        #expect(field.text.utf8.count == 1_400_000)
    }

    @Test("Refused text does not end a step")
    func refused() {
        var field = TextEditing(rules: TextRules(maximumBytes: 2))
        field.type("abc")
        field.undo()
        #expect(field.marks == "|")
    }
}
