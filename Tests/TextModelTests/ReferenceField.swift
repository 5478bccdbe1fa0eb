@testable import TextModel

/// A field as an array of characters that is split anew after each edit, with whole copies for undo.
struct ReferenceField {
    struct State: Equatable {
        var characters: [Character] = []
        var anchor = 0
        var head = 0

        var selected: Range<Int> { min(anchor, head)..<max(anchor, head) }
        var text: String { String(characters) }
    }

    private enum Kind { case typing, backward, forward, other }

    let rules: TextRules
    var state = State()
    var marked: String?
    private var column: Int?
    private var undone: [(before: State, after: State)] = []
    private var done: [(before: State, after: State)] = []
    /// The kind and the last edited scalars of the newest step, if it may be continued.
    private var open: (kind: Kind, edge: Unicode.Scalar?)?
    private var origin: (clicks: Int, range: Range<Int>)?

    init(rules: TextRules) { self.rules = rules }

    // MARK: Edits

    mutating func insert(_ string: String, isTyping: Bool) {
        marked = nil
        var insertion = Array(normalized(string))
        while !insertion.isEmpty {
            let text =
                String(state.characters[..<state.selected.lowerBound] + insertion)
                + String(state.characters[state.selected.upperBound...])
            if text.utf8.count <= rules.maximumBytes, text.count <= rules.maximumCharacters ?? .max { break }
            insertion.removeLast()
        }
        guard !insertion.isEmpty else { return }
        replace(state.selected, with: String(insertion), isTyping ? .typing : .other)
    }

    mutating func delete(_ movement: TextMovement) {
        marked = nil
        guard state.selected.isEmpty else {
            replace(state.selected, with: "", .other)
            return
        }
        let target = destination(movement)
        guard target != state.head else { return }
        let kind: Kind =
            movement == .characterBackward ? .backward : movement == .characterForward ? .forward : .other
        replace(min(target, state.head)..<max(target, state.head), with: "", kind)
    }

    private mutating func replace(_ range: Range<Int>, with insertion: String, _ kind: Kind) {
        let before = state
        let removed = String(state.characters[range]).unicodeScalars
        let prefix = String(state.characters[..<range.lowerBound]) + insertion
        state.characters = Array(prefix + String(state.characters[range.upperBound...]))
        var caret = 0
        var length = 0
        while length < prefix.utf8.count {
            length += state.characters[caret].utf8.count
            caret += 1
        }
        let isMerged = length > prefix.utf8.count
        if isMerged, insertion.isEmpty { caret -= 1 }
        (state.anchor, state.head) = (caret, caret)

        let first = kind == .typing ? insertion.unicodeScalars.first : removed.first
        let last =
            kind == .typing ? insertion.unicodeScalars.last : kind == .backward ? removed.first : removed.last
        let isWordStart =
            first.map { !$0.properties.isWhitespace } == true && open?.edge?.properties.isWhitespace == true
        if let open, open.kind == kind, kind != .other, !isWordStart {
            done[done.count - 1].after = state
        } else {
            done.append((before, state))
            if done.count > 200 { done.removeFirst() }
        }
        open = isMerged ? nil : (kind, last)
        undone = []
        column = nil
        origin = nil
    }

    private func normalized(_ string: String) -> String {
        var string = string
        for (lineBreak, replacement) in [
            ("\r\n", "\n"), ("\r", "\n"), ("\u{2028}", "\n"), ("\u{85}", "\n"), ("\u{0}", ""), ("\u{1B}", ""),
        ] {
            string = string.unicodeScalars.split(
                separator: Array(lineBreak.unicodeScalars),
                omittingEmptySubsequences: false
            ).map {
                String($0)
            }
            .joined(separator: replacement)
        }
        if !rules.isMultiline {
            string = String(
                String.UnicodeScalarView(
                    string.unicodeScalars.map { "\n\t".unicodeScalars.contains($0) ? " " : $0 }
                )
            )
        }
        return string
    }

    mutating func undo() {
        marked = nil
        open = nil
        guard let step = done.popLast() else { return }
        undone.append(step)
        select(step.before.anchor, step.before.head)
        state = step.before
    }

    mutating func redo() {
        marked = nil
        open = nil
        guard let step = undone.popLast() else { return }
        done.append(step)
        select(step.after.anchor, step.after.head)
        state = step.after
    }

    mutating func setMarked(_ string: String) { marked = string.isEmpty ? nil : string }

    // MARK: Movement

    mutating func select(_ anchor: Int, _ head: Int) {
        (state.anchor, state.head) = (anchor, head)
        marked = nil
        open = nil
        column = nil
        origin = nil
    }

    mutating func move(_ movement: TextMovement, isExtending: Bool) {
        var target = destination(movement)
        if !isExtending, !state.selected.isEmpty {
            if movement == .characterBackward { target = state.selected.lowerBound }
            if movement == .characterForward { target = state.selected.upperBound }
        }
        select(isExtending ? state.anchor : target, target)
    }

    mutating func moveLines(_ count: Int, isExtending: Bool) {
        let (row, ownColumn) = place(state.head)
        let column = column ?? ownColumn
        let target =
            row + count < 0 ? 0 : row + count >= rows.count ? state.characters.count : at(row + count, column)
        select(isExtending ? state.anchor : target, target)
        self.column = column
    }

    private func destination(_ movement: TextMovement) -> Int {
        let count = state.characters.count
        let line = rows[place(state.head).row]
        return switch movement {
        case .characterBackward: max(state.head - 1, 0)
        case .characterForward: min(state.head + 1, count)
        case .wordBackward where rules.mask != nil: 0
        case .wordForward where rules.mask != nil: count
        case .wordBackward:
            segments.last { $0.isWord && $0.range.lowerBound < state.head && leaves($0.range) }?.range
                .lowerBound ?? 0
        case .wordForward:
            segments.first { $0.isWord && $0.range.upperBound > state.head }?.range.upperBound ?? count
        case .lineStart: line.lowerBound
        case .lineEnd: line.upperBound
        case .documentStart: 0
        case .documentEnd: count
        }
    }

    /// Whether the part of a word in front of the caret is more than its first characters without a letter.
    private func leaves(_ range: Range<Int>) -> Bool {
        state.characters[range.lowerBound..<min(range.upperBound, state.head)].contains {
            CharacterClass($0).isWord
        }
    }

    // MARK: Pointer

    mutating func press(row: Int, column: Double, clicks: Int, isExtending: Bool) {
        let unit = unit(row, column, clicks)
        let range = isExtending ? state.anchor..<state.anchor : unit
        drag(to: unit, clicks, range)
    }

    mutating func drag(row: Int, column: Double) {
        guard let origin else { return }
        drag(to: unit(row, column, origin.clicks), origin.clicks, origin.range)
    }

    private mutating func drag(to unit: Range<Int>, _ clicks: Int, _ range: Range<Int>) {
        if unit.lowerBound < range.lowerBound {
            select(range.upperBound, unit.lowerBound)
        } else {
            select(range.lowerBound, max(range.upperBound, unit.upperBound))
        }
        origin = (clicks, range)
    }

    private func unit(_ row: Int, _ column: Double, _ clicks: Int) -> Range<Int> {
        if clicks == 1 {
            let caret = at(row, Int(column.rounded()))
            return caret..<caret
        }
        if rules.mask != nil { return 0..<state.characters.count }
        let row = min(max(row, 0), rows.count - 1)
        let line = rows[row]
        if clicks == 3 || line.isEmpty { return line }
        let character = min(at(row, Int(column.rounded(.down))), line.upperBound - 1)
        return segments.first { $0.range.contains(character) }?.range ?? line
    }

    /// Returns the number of characters that end at or in front of a UTF-8 offset.
    func character(at offset: Int) -> Int {
        var (count, end) = (0, 0)
        for character in state.characters {
            end += character.utf8.count
            if end > offset { break }
            count += 1
        }
        return count
    }

    // MARK: Lines and words

    /// The lines without their line breaks; a mask hides those.
    private var rows: [Range<Int>] {
        var rows: [Range<Int>] = []
        var start = 0
        for (index, character) in state.characters.enumerated() where character == "\n" {
            rows.append(start..<index)
            start = index + 1
        }
        return rows + [start..<state.characters.count]
    }

    private func place(_ position: Int) -> (row: Int, column: Int) {
        let row = rows.lastIndex { $0.lowerBound <= position } ?? 0
        return (row, position - rows[row].lowerBound)
    }

    private func at(_ row: Int, _ column: Int) -> Int {
        let line = rows[min(max(row, 0), rows.count - 1)]
        return min(line.lowerBound + max(column, 0), line.upperBound)
    }

    /// The whole text as words and what is between them.
    private var segments: [(range: Range<Int>, isWord: Bool)] {
        let characters = state.characters
        var segments: [(range: Range<Int>, isWord: Bool)] = []
        var index = 0
        while index < characters.count {
            let start = index
            let kind = CharacterClass(characters[start])
            index += 1
            if kind != .emoji, kind != .lineBreak {
                while index < characters.count {
                    if CharacterClass(characters[index]) == kind {
                        index += 1
                    } else if index + 1 < characters.count,
                        CharacterClass.isJoined(
                            characters[index - 1],
                            by: characters[index],
                            characters[index + 1]
                        )
                    {
                        index += 2
                    } else {
                        break
                    }
                }
            }
            segments.append((start..<index, kind.isWord))
        }
        return segments
    }
}
