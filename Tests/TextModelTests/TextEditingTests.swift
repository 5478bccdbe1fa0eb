import Testing
import TextModel

@Suite("Editing text")
struct TextEditingTests {
    @Test("Typed text replaces the selection")
    func typing() {
        #expect(TextEditing(marks: "one [two| three").after { $0.insert("2") } == "one 2| three")
    }

    @Test("Positions outside the text or inside a character are moved to a character boundary")
    func positions() {
        var field = TextEditing("aé👩‍👩‍👧z")
        field.select(TextSelection(anchor: TextPosition(-5), head: TextPosition(9)))
        #expect(field.marks == "[aé|👩‍👩‍👧z")
        field.select(TextSelection(caret: TextPosition(9999)))
        #expect(field.marks == "aé👩‍👩‍👧z|")
    }

    @Test(
        "Deleting by a movement removes the text that the movement would pass",
        arguments: [
            (TextMovement.characterBackward, "one two| three\nfour", "one tw| three\nfour"),
            (.characterForward, "one two| three\nfour", "one two|three\nfour"),
            (.wordBackward, "one two| three\nfour", "one | three\nfour"),
            (.wordForward, "one two| three\nfour", "one two|\nfour"),
            (.lineStart, "x\none two| three\nfour", "x\n| three\nfour"),
            (.lineEnd, "one two| three\nfour", "one two|\nfour"),
            (.documentStart, "x\none two| three", "| three"),
            (.documentEnd, "one| two\nthree", "one|"),
            (.characterBackward, "|a", "|a"),
            (.characterForward, "a|", "a|"),
            (.characterBackward, "👩‍👩‍👧🇩🇪|", "👩‍👩‍👧|"),
            (.characterForward, "|e\u{301}x", "|x"),
        ]
    )
    func deletion(movement: TextMovement, before: String, after: String) {
        #expect(TextEditing(marks: before).after { $0.delete(movement) } == after)
    }

    @Test("Any deletion deletes only the selection if there is one", arguments: TextMovement.allCases)
    func deletingSelection(movement: TextMovement) {
        #expect(TextEditing(marks: "one [two| three").after { $0.delete(movement) } == "one | three")
    }

    @Test("After an insertion that merges characters, the caret follows the merged character")
    func mergingInsertion() {
        var field = TextEditing("\u{301}x")
        field.move(.documentStart)
        field.insert("e")
        #expect(field.marks == "e\u{301}|x")
    }

    @Test("After a deletion that merges characters, the caret precedes the merged character")
    func mergingDeletion() {
        let field = TextEditing(marks: "\u{1F1E9}x|\u{1F1EA}")
        #expect(field.after { $0.delete(.characterBackward) } == "|🇩🇪")
    }

    @Test("Setting the text clears the undo history")
    func settingText() {
        var field = TextEditing()
        field.insert("one")
        field.setText("two")
        #expect(field.marks == "two|")
        #expect(!field.canUndo)
    }

    @Test("Deleting text that was inserted in the middle of 100,000 characters restores the original text")
    func longText() {
        var field = TextEditing(
            String(repeating: "Привет, мир! it's 👩‍👩‍👧\n", count: 5_000),
            rules: TextRules(isMultiline: true, maximumBytes: 1 << 24)
        )
        field.select(TextSelection(caret: TextPosition(field.text.utf8.count / 2)))
        field.move(.lineEnd)
        let before = field.text
        for _ in 0..<2_000 {
            field.insert("ж")
            field.move(.wordBackward)
            field.move(.lineEnd)
        }
        for _ in 0..<2_000 { field.delete(.characterBackward) }
        let isRestored = field.text == before
        #expect(isRestored)
    }

    // MARK: Clipboard

    @Test("Copying returns the selected text and does not change the field")
    func copying() {
        let field = TextEditing(marks: "one [two| three")
        #expect(field.copy() == "two")
        #expect(TextEditing("one").copy() == nil)
    }

    @Test("Cutting returns the selected text and deletes it")
    func cutting() {
        var field = TextEditing(marks: "one [two| three")
        let cut = [field.cut(), field.cut()]
        #expect(cut == ["two", nil])
        #expect(field.marks == "one | three")
    }

    @Test("A masked text is neither copied nor cut")
    func maskedClipboard() {
        var field = TextEditing("secret", rules: TextRules(mask: "•"))
        field.selectAll()
        #expect(field.copy() == nil)
        let cut = field.cut()
        #expect(cut == nil)
        #expect(field.text == "secret")
    }

    @Test("In a field of several lines, all pasted line breaks become line feeds")
    func lineBreaks() {
        var field = TextEditing(rules: TextRules(isMultiline: true))
        field.paste("a\r\nb\rc\u{2028}d\u{2029}e\u{85}f\n\ng\th")
        #expect(field.text == "a\nb\nc\nd\ne\nf\n\ng\th")
    }

    @Test("In a field of one line, line breaks and tabs become spaces")
    func oneLine() {
        var field = TextEditing()
        field.paste("a\r\nb\rc\u{2028}d\te")
        #expect(field.text == "a b c d e")
    }

    @Test("Control characters are removed")
    func controlCharacters() {
        var field = TextEditing(rules: TextRules(isMultiline: true))
        field.paste("a\u{0}b\u{1B}[31mc\u{7F}d\u{9F}\u{200D}")
        #expect(field.text == "ab[31mcd\u{200D}")
    }

    @Test("Inserting text without any permitted character has no effect")
    func emptyInsertion() {
        #expect(TextEditing(marks: "[one|").after { $0.paste("\u{0}") } == "[one|")
    }

    // MARK: Limits

    @Test("Text beyond the maximum number of bytes is cut between characters")
    func maximumBytes() {
        var field = TextEditing(rules: TextRules(maximumBytes: 7))
        let results = ["ab", "жжж", "ж", "c"].map { field.insert($0) }
        #expect(results == [true, false, false, true])
        #expect(field.text == "abжжc")
        #expect(TextEditing("жжжж", rules: TextRules(maximumBytes: 7)).text == "жжж")
    }

    @Test("Text beyond the maximum number of characters is cut")
    func maximumCharacters() {
        var field = TextEditing(rules: TextRules(maximumCharacters: 3))
        field.insert("👩‍👩‍👧🇩🇪e\u{301}x")
        #expect(field.text == "👩‍👩‍👧🇩🇪e\u{301}")
    }

    @Test("A combining mark fits at the maximum number of characters")
    func combiningAtMaximum() {
        var field = TextEditing("abe", rules: TextRules(maximumCharacters: 3))
        field.insert("\u{301}")
        #expect(field.text == "abe\u{301}")
    }

    @Test("The selected text does not count towards the limit of the text that replaces it")
    func limitWithSelection() {
        let rules = TextRules(maximumBytes: 3)
        #expect(TextEditing(marks: "a[bc|", rules: rules).after { $0.insert("xyz") } == "axy|")
        #expect(TextEditing(marks: "a[b|c", rules: rules).after { $0.insert("👩") } == "a[b|c")
    }
}
