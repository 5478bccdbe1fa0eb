import Basics
import Foundation
import Testing
import TextModel

/// Random edits; `CALLRUNNER_EDITS` sets their number, and each seed makes a thousand.
@Suite("Random edits")
struct RandomEditTests {
    private static let edits =
        ProcessInfo.processInfo.environment["CALLRUNNER_EDITS"].flatMap(UInt64.init) ?? 20_000

    @Test("After each edit, a field has the text and the selection of a simple reference implementation")
    func reference() {
        for seed in 0..<max(Self.edits / 1000, 1) {
            if let difference = RandomEdits(seed: seed).firstDifference(in: 1000) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }
}

/// A sequence of edits of a field and of its reference, the same for the same seed.
private struct RandomEdits {
    private static let rules = [
        TextRules(isMultiline: true), TextRules(isMultiline: true, maximumBytes: 120), TextRules(),
        TextRules(maximumCharacters: 12), TextRules(mask: "•"),
        TextRules(isMultiline: true, maximumBytes: 90, maximumCharacters: 30),
    ]
    private static let pieces = [
        "a", "b", " ", "  ", "it's", "'", ".", "1,0", "ж", "Привет ", "мир, ", "e\u{301}", "\u{301}", "漢字",
        "かな", "カー",
        "👩‍👩‍👧", "👩", "\u{200D}", "👍🏽", "\u{1F3FD}", "🇩🇪", "\u{1F1E9}", "\u{1F1EA}", "שלום ", "\u{200F}", "مرحبا",
        "क्षि",
        "\u{94D}", "\n", "\r\n", "\r", "\t", "\u{2028}", "\u{85}", "\u{0}", "\u{1B}", "ᄒ", "ᅡ", "\u{FE0F}",
        "x\r\n\r\ny",
    ]

    private let rules: TextRules
    private var random: SeededGenerator
    private var field: TextEditing
    private var reference: ReferenceField

    init(seed: UInt64) {
        rules = Self.rules[Int(seed) % Self.rules.count]
        random = SeededGenerator(seed: seed)
        field = TextEditing(rules: rules)
        reference = ReferenceField(rules: rules)
    }

    /// Returns a description of the first edit after which both differ.
    consuming func firstDifference(in count: Int) -> String? {
        for step in 0..<count {
            let before = field.marks
            let edit = makeEdit()
            if let difference { return "edit \(step), \(edit), of \(before.debugDescription): \(difference)" }
        }
        while field.canUndo {
            field.undo()
            reference.undo()
            if let difference { return "undoing all: \(difference)" }
        }
        return nil
    }

    private var difference: String? {
        let state = reference.state
        func offset(_ count: Int) -> Int { String(state.characters[..<count]).utf8.count }
        guard Array(field.text.utf8) == Array(state.text.utf8) else {
            return "text \(field.text.debugDescription), expected \(state.text.debugDescription)"
        }
        guard field.selection.anchor.offset == offset(state.anchor),
            field.selection.head.offset == offset(state.head)
        else { return "selection \(field.selection), expected \(offset(state.anchor)) \(offset(state.head))" }
        guard field.marked?.text == reference.marked else {
            return "marked text \(field.marked?.text ?? "nil")"
        }
        return displayDifference
    }

    private var displayDifference: String? {
        let state = reference.state
        var expected = state.text
        if let marked = reference.marked {
            expected =
                String(state.characters[..<state.selected.lowerBound]) + marked
                + String(state.characters[state.selected.upperBound...])
        }
        let displayed = field.displayed
        if let mask = rules.mask {
            guard displayed.string.allSatisfy({ $0 == mask }) else { return "displayed \(displayed.string)" }
        } else if displayed.string != expected {
            return "displayed \(displayed.string.debugDescription)"
        }
        if reference.marked == nil, displayed.position(for: displayed.caret) != field.selection.head {
            return "caret displayed at \(displayed.caret)"
        }
        return nil
    }

    private mutating func text() -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? ""
        }.joined()
    }

    private mutating func makeEdit() -> String {
        let isExtending = Bool.random(using: &random)
        let movement = TextMovement.allCases.randomElement(using: &random) ?? .lineEnd
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<34:
            let piece = Self.pieces.randomElement(using: &random) ?? ""
            field.insert(piece)
            reference.insert(piece, isTyping: true)
            return "type \(piece.debugDescription)"
        case 34..<40:
            let text = text()
            field.paste(text)
            reference.insert(text, isTyping: false)
            return "paste \(text.debugDescription)"
        case 40..<52:
            let movement: TextMovement = isExtending ? .characterBackward : .characterForward
            field.delete(movement)
            reference.delete(movement)
            return "delete \(movement)"
        case 52..<55:
            field.delete(movement)
            reference.delete(movement)
            return "delete \(movement)"
        case 55..<65:
            field.move(movement, isExtending: isExtending)
            reference.move(movement, isExtending: isExtending)
            return "move \(movement) \(isExtending)"
        case 65..<72: return undoOrRedo()
        case 72..<80: return compose()
        case 80..<82:
            if rules.mask == nil, !reference.state.selected.isEmpty { reference.delete(.characterForward) }
            _ = field.cut()
            return "cut"
        default: return useLayout(isExtending)
        }
    }

    private mutating func undoOrRedo() -> String {
        guard Int.random(in: 0..<3, using: &random) > 0 else {
            field.redo()
            reference.redo()
            return "redo"
        }
        field.undo()
        reference.undo()
        return "undo"
    }

    private mutating func compose() -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            if let marked = reference.marked { reference.insert(marked, isTyping: true) }
            field.commitMarkedText()
            return "commit"
        case 1:
            field.cancelMarkedText()
            reference.marked = nil
            return "cancel"
        default:
            let text = ["か", "かん", "漢字", "\u{301}", "🇩🇪", ""].randomElement(using: &random) ?? ""
            let start = Int.random(in: -1...3, using: &random)
            field.setMarkedText(text, selection: start..<start + Int.random(in: 0...2, using: &random))
            reference.setMarked(text)
            return "compose \(text.debugDescription)"
        }
    }

    /// Selects with the pointer and moves by lines, without marked text, which the reference does not lay out.
    private mutating func useLayout(_ isExtending: Bool) -> String {
        field.cancelMarkedText()
        reference.marked = nil
        let layout = field.layout
        let row = Int.random(in: -1...3, using: &random)
        // Not at the middle of a character, where rounding would decide.
        let column =
            Double(Int.random(in: 0...20, using: &random)) + (Bool.random(using: &random) ? 0.25 : 0.75)
        let point = TextPoint(x: column, y: Double(row) + 0.5)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let lines = [-2, -1, 1, 2].randomElement(using: &random) ?? 1
            field.move(.lines(lines), in: layout, isExtending: isExtending)
            reference.moveLines(lines, isExtending: isExtending)
            return "move \(lines) lines \(isExtending)"
        case 1:
            field.drag(to: point, in: layout)
            reference.drag(row: row, column: column)
            return "drag to \(point)"
        case 2:
            let start = Int.random(in: -1...field.text.utf8.count + 1, using: &random)
            field.select(TextSelection(anchor: TextPosition(start), head: field.selection.head))
            reference.select(reference.character(at: start), reference.state.head)
            return "select from \(start)"
        default:
            let clicks = Int.random(in: 1...3, using: &random)
            field.press(at: point, clicks: clicks, isExtending: isExtending, in: layout)
            reference.press(row: row, column: column, clicks: clicks, isExtending: isExtending)
            return "press \(point) \(clicks) \(isExtending)"
        }
    }
}
