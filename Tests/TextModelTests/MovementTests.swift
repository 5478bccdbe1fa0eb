import Testing
import TextModel

@Suite("Moving the caret")
struct MovementTests {
    @Test(
        "Movement by characters passes a whole grapheme cluster",
        arguments: ["e\u{301}", "👩‍👩‍👧", "🇩🇪", "ж", "漢", "क्षि", "👍🏽", "שׁ", "한", "1️⃣"]
    )
    func characters(character: String) {
        let field = TextEditing(marks: "|\(character)\(character)")
        #expect(field.after { $0.move(.characterForward) } == "\(character)|\(character)")
        let end = TextEditing(marks: "\(character)\(character)|")
        #expect(end.after { $0.move(.characterBackward) } == "\(character)|\(character)")
    }

    @Test(
        "Forward movement by words stops at the end of each word",
        arguments: [
            ("it's fine", ["it's", " fine"]),
            ("l’été, привет мир!", ["l’été", ", привет", " мир", "!"]),
            ("漢字とカナー", ["漢字", "と", "カナー"]),
            ("a👩‍👩‍👧🇩🇪b", ["a", "👩‍👩‍👧", "🇩🇪", "b"]),
            ("1,000.5 a,b", ["1,000.5", " a", ",b"]),
            ("e\u{301}te\u{301}  x_1", ["e\u{301}te\u{301}", "  x_1"]),
            ("שלום עולם", ["שלום", " עולם"]),
            ("'a' b", ["'a", "' b"]),
            ("one\n\ntwo", ["one", "\n\ntwo"]),
        ]
    )
    func wordsForward(text: String, parts: [String]) {
        var field = TextEditing(text, rules: TextRules(isMultiline: true))
        field.move(.documentStart)
        var found: [String] = []
        while field.selection.head.offset < field.text.utf8.count {
            field.move(.characterForward)
            field.move(.characterBackward)
            let start = field.selection.head
            field.move(.wordForward)
            field.select(TextSelection(anchor: start, head: field.selection.head))
            found.append(String(field.selectedText))
            field.move(.characterForward)
        }
        #expect(found == parts)
    }

    @Test(
        "Backward movement by words stops at the start of each word",
        arguments: [
            ("say it's|", "say |it's"), ("say it'|s", "say |it's"), ("one, |two", "|one, two"),
            ("漢字と|", "漢字|と"), ("a 👩‍👩‍👧|", "a |👩‍👩‍👧"), ("  |", "|  "), ("привет мир|", "привет |мир"),
        ]
    )
    func wordsBackward(before: String, after: String) {
        let text = after.filter { $0 != "|" }
        #expect(TextEditing(marks: before).after { $0.move(.wordBackward) }.filter { $0 != "|" } == text)
        #expect(TextEditing(marks: before).after { $0.move(.wordBackward) } == after)
    }

    @Test("Movement to the edges of a line stays between its line breaks")
    func lines() {
        let field = TextEditing(marks: "a\nb|c\nd")
        #expect(field.after { $0.move(.lineStart) } == "a\n|bc\nd")
        #expect(field.after { $0.move(.lineEnd) } == "a\nbc|\nd")
        #expect(TextEditing(marks: "a\n|\nb").after { $0.move(.lineEnd) } == "a\n|\nb")
    }

    @Test("Movement to the edges of the text passes line breaks")
    func document() {
        let field = TextEditing(marks: "a\nb|c\nd")
        #expect(field.after { $0.move(.documentStart) } == "|a\nbc\nd")
        #expect(field.after { $0.move(.documentEnd) } == "a\nbc\nd|")
    }

    @Test("An extending movement keeps the anchor", arguments: TextMovement.allCases)
    func extending(movement: TextMovement) {
        var field = TextEditing(marks: "ab c[d ef| gh")
        let before = field.selection
        field.move(movement, isExtending: true)
        #expect(field.selection.anchor == before.anchor)
        #expect(field.selection.head != before.head)
    }

    @Test("Movement by a character collapses a selection to its start or end")
    func collapsing() {
        for marks in ["a[bc|d", "a|bc[d"] {
            #expect(TextEditing(marks: marks).after { $0.move(.characterBackward) } == "a|bcd")
            #expect(TextEditing(marks: marks).after { $0.move(.characterForward) } == "abc|d")
            #expect(TextEditing(marks: marks).after { $0.move(.beside(.left), in: $0.layout) } == "a|bcd")
            #expect(TextEditing(marks: marks).after { $0.move(.beside(.right), in: $0.layout) } == "abc|d")
        }
    }

    @Test("Movement to the left moves forward in right-to-left text")
    func rightToLeft() {
        func moved(_ marks: String) -> String {
            TextEditing(marks: marks).after {
                $0.move(.beside(.left), in: MonospacedLayout($0.displayed, isRightToLeft: true))
            }
        }
        #expect(moved("ש|לום") == "של|ום")
        #expect(moved("[של|ום") == "של|ום")
    }

    @Test("Movement by lines returns to its column after a shorter line")
    func preferredColumn() {
        var field = TextEditing(marks: "abcd|e\nx\nabcde")
        field.move(.lines(1), in: field.layout)
        #expect(field.marks == "abcde\nx|\nabcde")
        field.move(.lines(1), in: field.layout)
        #expect(field.marks == "abcde\nx\nabcd|e")
    }

    @Test("Any other movement resets the column of movement by lines")
    func forgottenColumn() {
        var field = TextEditing(marks: "abcd|e\nx\nabcde")
        field.move(.lines(1), in: field.layout)
        field.move(.characterBackward)
        field.move(.lines(1), in: field.layout)
        #expect(field.marks == "abcde\nx\n|abcde")
    }

    @Test("Movement above the first line and below the last goes to the edge of the text")
    func edges() {
        let field = TextEditing(marks: "abc|d")
        #expect(field.after { $0.move(.lines(-1), in: $0.layout) } == "|abcd")
        #expect(field.after { $0.move(.lines(1), in: $0.layout) } == "abcd|")
    }

    @Test("Movement on the screen follows wrapped lines")
    func wrapped() {
        func moved(_ movement: VisualMovement) -> String {
            TextEditing(marks: "abcde|fghi").after {
                $0.move(movement, in: MonospacedLayout($0.displayed, columns: 4))
            }
        }
        #expect(moved(.lines(-1)) == "a|bcdefghi")
        #expect(moved(.lines(1)) == "abcdefghi|")
        #expect(moved(.lineStart) == "abcd|efghi")
        #expect(moved(.lineEnd) == "abcdefg|hi")
    }

    @Test("Movement by words in a masked text goes to its start or end")
    func masked() {
        let field = TextEditing(marks: "one tw|o three", rules: TextRules(mask: "•"))
        #expect(field.after { $0.move(.wordForward) } == "one two three|")
        #expect(field.after { $0.move(.wordBackward) } == "|one two three")
    }
}
