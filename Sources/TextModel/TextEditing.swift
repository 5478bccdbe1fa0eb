/// A movement of the caret through the text in logical order, regardless of the text direction.
package enum TextMovement: CaseIterable, Sendable {
    case characterBackward, characterForward
    /// To the start or the end of a word; in masked text, like `documentStart` and `documentEnd`.
    case wordBackward, wordForward
    /// To the start or the end of the line between two line breaks, regardless of line wrapping.
    case lineStart, lineEnd
    case documentStart, documentEnd
}

/// A movement of the caret on the screen.
package enum VisualMovement: Hashable, Sendable {
    case beside(VisualDirection)
    /// Down by a number of displayed lines, or up if it is negative; beyond the first or last line, to the start or end
    /// of the text.
    case lines(Int)
    case lineStart, lineEnd
}

/// The text of a field, its caret, and the editing operations.
///
/// Inserted text is normalized and cut to the maximum length by `TextRules`. Positions outside the text are clamped to
/// it, and positions inside a character are moved to its start. If an edit combines the text on both sides of the caret
/// into one character, the caret is placed at the end of that character after an insertion, and at its start after a
/// deletion.
package struct TextEditing: Sendable {
    /// The rules of the field.
    package let rules: TextRules

    /// The text without marked text.
    package private(set) var text = ""

    /// The selection, or the caret.
    package private(set) var selection = TextSelection(caret: TextPosition(0))

    /// The text that is being composed with an input method; nil if there is none.
    package private(set) var marked: MarkedText?

    private var history = UndoHistory()
    /// The x coordinate to which vertical movements return after shorter lines; nil after any other movement.
    private var preferredX: Double?
    private var drag: Drag?

    /// Creates a field with a text and the caret at its end.
    package init(_ text: String = "", rules: TextRules = TextRules()) {
        self.rules = rules
        setText(text)
    }

    /// Replaces the text, clears the undo history, and moves the caret to the end.
    package mutating func setText(_ text: String) {
        let normalized = rules.normalized(text)
        self.text = rules.fitting(normalized, between: "", and: "")
        history = UndoHistory()
        select(TextSelection(caret: TextPosition(self.text.utf8.count)))
    }

    /// The text as it is displayed.
    package var displayed: DisplayedText {
        DisplayedText(text, mask: rules.mask, selection: selection, marked: marked)
    }

    /// The selected text.
    package var selectedText: Substring { text[indices(selection.bytes)] }

    // MARK: Insertion and deletion

    /// Inserts typed or committed text in place of the selection.
    ///
    /// Text beyond the maximum length is cut off between characters. If nothing is left to insert, the text does not
    /// change.
    ///
    /// - Returns: False if text was cut off.
    @discardableResult
    package mutating func insert(_ typed: String) -> Bool { insert(typed, .typing) }

    /// Inserts text from the clipboard like `insert(_:)`, as a separate undo step.
    ///
    /// - Returns: False if text was cut off.
    @discardableResult
    package mutating func paste(_ pasted: String) -> Bool { insert(pasted, .other) }

    /// Returns the selected text for the clipboard; nil if there is none or it is masked.
    package func copy() -> String? {
        selection.isEmpty || rules.mask != nil ? nil : String(selectedText)
    }

    /// Deletes the selected text and returns it for the clipboard.
    ///
    /// - Returns: nil if nothing is selected or the text is masked; then nothing changes.
    package mutating func cut() -> String? {
        guard let copied = copy() else { return nil }
        marked = nil
        replace(selection.bytes, with: "", .other)
        return copied
    }

    /// Deletes the selected text or, without a selection, the text from the caret to the destination of `movement`.
    package mutating func delete(_ movement: TextMovement) {
        marked = nil
        if !selection.isEmpty {
            replace(selection.bytes, with: "", .other)
            return
        }
        let head = selection.head.offset
        let target = destination(of: movement).offset
        let kind: EditStep.Kind =
            switch movement {
            case .characterBackward: .deletingBackward
            case .characterForward: .deletingForward
            default: .other
            }
        if target != head { replace(min(head, target)..<max(head, target), with: "", kind) }
    }

    private mutating func insert(_ string: String, _ kind: EditStep.Kind) -> Bool {
        marked = nil
        let normalized = rules.normalized(string)
        let range = indices(selection.bytes)
        let fitting = rules.fitting(
            normalized,
            between: text[..<range.lowerBound],
            and: text[range.upperBound...]
        )
        if !fitting.isEmpty { replace(selection.bytes, with: fitting, kind) }
        return fitting.utf8.count == normalized.utf8.count
    }

    private mutating func replace(_ bytes: Range<Int>, with insertion: String, _ kind: EditStep.Kind) {
        let range = indices(bytes)
        let removed = String(text[range])
        text.replaceSubrange(range, with: insertion)
        let end = bytes.lowerBound + insertion.utf8.count
        let caret = insertion.isEmpty ? text.boundary(atOrBefore: end) : text.boundary(atOrAfter: end)
        let after = TextSelection(caret: position(caret))
        history.record(
            EditStep(
                kind: kind,
                offset: bytes.lowerBound,
                removed: removed,
                inserted: insertion,
                selectionBefore: selection,
                selectionAfter: after
            )
        )
        selection = after
        preferredX = nil
        drag = nil
    }

    // MARK: Undo

    /// Whether there is something to undo.
    package var canUndo: Bool { history.canUndo }

    /// Whether there is something to redo.
    package var canRedo: Bool { history.canRedo }

    /// Undoes the newest step.
    ///
    /// Typing is one step until the caret moves, another word begins, or another kind of edit follows; the same applies
    /// to deleting character by character in one direction. At most two hundred steps are stored, and fewer if their
    /// texts exceed 1 MiB.
    package mutating func undo() {
        marked = nil
        guard let step = history.undo() else { return }
        text.replaceSubrange(indices(step.insertedRange), with: step.removed)
        select(step.selectionBefore)
    }

    /// Redoes the step that was undone most recently.
    package mutating func redo() {
        marked = nil
        guard let step = history.redo() else { return }
        text.replaceSubrange(indices(step.removedRange), with: step.inserted)
        select(step.selectionAfter)
    }

    // MARK: Input methods

    /// Displays text that is being composed with an input method; it replaces the selection when it is committed.
    ///
    /// Any other edit or movement cancels the composition. To commit it, the input method calls `insert(_:)`.
    ///
    /// - Parameters:
    ///   - string: The whole composed text; an empty text cancels the composition.
    ///   - selection: The input method's caret or selection, in Unicode scalars of `string`, as SDL counts.
    package mutating func setMarkedText(_ string: String, selection: Range<Int>) {
        let oneLine = TextRules(maximumBytes: rules.maximumBytes)
        let marked = oneLine.fitting(oneLine.normalized(string), between: "", and: "")
        let scalars = marked.unicodeScalars
        let offsets = [selection.lowerBound, selection.upperBound].map { count in
            let index = scalars.index(
                scalars.startIndex,
                offsetBy: max(count, 0),
                limitedBy: scalars.endIndex
            )
            return marked.offset(
                of: marked.boundary(atOrBefore: marked.offset(of: index ?? scalars.endIndex))
            )
        }
        self.marked = marked.isEmpty ? nil : MarkedText(text: marked, selection: offsets[0]..<offsets[1])
    }

    /// Inserts the marked text, for example before a field loses the focus.
    package mutating func commitMarkedText() {
        if let marked { insert(marked.text) }
    }

    /// Discards the marked text.
    package mutating func cancelMarkedText() { marked = nil }

    // MARK: Selection and movement

    /// Selects text, or moves the caret.
    package mutating func select(_ selection: TextSelection) {
        self.selection = TextSelection(anchor: valid(selection.anchor), head: valid(selection.head))
        marked = nil
        preferredX = nil
        drag = nil
        history.close()
    }

    /// Selects the whole text.
    package mutating func selectAll() {
        select(TextSelection(anchor: TextPosition(0), head: TextPosition(text.utf8.count)))
    }

    /// Moves the caret, or the head of the selection if `isExtending`.
    ///
    /// If there is a selection that is not extended, a movement by a character goes to its start or end.
    package mutating func move(_ movement: TextMovement, isExtending: Bool = false) {
        let target: TextPosition =
            switch movement {
            case .characterBackward where !isExtending && !selection.isEmpty: selection.range.lowerBound
            case .characterForward where !isExtending && !selection.isEmpty: selection.range.upperBound
            default: destination(of: movement)
            }
        moveHead(to: target, isExtending)
    }

    /// Moves the caret on the screen, or the head of the selection if `isExtending`.
    ///
    /// - Parameters:
    ///   - movement: The movement.
    ///   - layout: The layout of `displayed`.
    ///   - isExtending: Whether the selection is extended from its anchor.
    package mutating func move(
        _ movement: VisualMovement,
        in layout: some TextLayout,
        isExtending: Bool = false
    ) {
        let displayed = displayed
        let head = displayed.caret
        switch movement {
        case .beside(let direction) where !isExtending && !selection.isEmpty && marked == nil:
            moveHead(to: displayed.position(for: end(of: displayed.selection, direction, in: layout)), false)
        case .beside(let direction):
            guard let target = layout.position(beside: head, direction) else { return }
            moveHead(to: displayed.position(for: target), isExtending)
        case .lines(let lines):
            let x = preferredX ?? layout.caret(at: head).top.x
            let target = layout.position(lines: lines, below: head, x: x)
            let edge = TextPosition(lines < 0 ? 0 : text.utf8.count)
            moveHead(to: target.map { displayed.position(for: $0) } ?? edge, isExtending)
            preferredX = x
        case .lineStart:
            moveHead(to: displayed.position(for: layout.line(containing: head).lowerBound), isExtending)
        case .lineEnd:
            moveHead(to: displayed.position(for: layout.line(containing: head).upperBound), isExtending)
        }
    }

    private mutating func moveHead(to head: TextPosition, _ isExtending: Bool) {
        select(TextSelection(anchor: isExtending ? selection.anchor : head, head: head))
    }

    private func end(
        of range: Range<DisplayedPosition>,
        _ direction: VisualDirection,
        in layout: some TextLayout
    ) -> DisplayedPosition {
        let lower = layout.caret(at: range.lowerBound).top
        let upper = layout.caret(at: range.upperBound).top
        let isReversed = lower.y == upper.y && upper.x < lower.x
        return (direction == .left) != isReversed ? range.lowerBound : range.upperBound
    }

    private func destination(of movement: TextMovement) -> TextPosition {
        let head = text.index(at: selection.head.offset)
        let isMasked = rules.mask != nil
        let index =
            switch movement {
            case .characterBackward: head > text.startIndex ? text.index(before: head) : head
            case .characterForward: head < text.endIndex ? text.index(after: head) : head
            case .wordBackward: isMasked ? text.startIndex : text.wordStart(before: head)
            case .wordForward: isMasked ? text.endIndex : text.wordEnd(after: head)
            case .lineStart: text.line(containing: head).lowerBound
            case .lineEnd: text.line(containing: head).upperBound
            case .documentStart: text.startIndex
            case .documentEnd: text.endIndex
            }
        return position(index)
    }

    // MARK: Pointer

    /// A selection by dragging that was started with one to three clicks.
    private struct Drag {
        let clicks: Int
        /// The UTF-8 bytes that remain selected.
        let origin: Range<Int>
    }

    /// Handles the press of a button.
    ///
    /// One click moves the caret, two select a word, and three select a line without its line break; in masked text,
    /// two or three clicks select everything.
    ///
    /// - Parameters:
    ///   - point: The position of the pointer.
    ///   - clicks: The number of clicks in quick succession; more than three count as three.
    ///   - isExtending: Whether the selection is extended from its anchor.
    ///   - layout: The layout of `displayed`.
    package mutating func press(
        at point: TextPoint,
        clicks: Int = 1,
        isExtending: Bool = false,
        in layout: some TextLayout
    ) {
        let unit = unit(at: point, clicks, in: layout)
        let anchor = selection.anchor.offset
        drag(to: unit, Drag(clicks: clicks, origin: isExtending ? anchor..<anchor : unit))
    }

    /// Extends the selection of the last `press` by characters, words or lines to `point`; does nothing after an edit
    /// or another movement.
    package mutating func drag(to point: TextPoint, in layout: some TextLayout) {
        guard let drag else { return }
        self.drag(to: unit(at: point, drag.clicks, in: layout), drag)
    }

    /// Handles the release of the button.
    package mutating func endDrag() { drag = nil }

    private mutating func drag(to unit: Range<Int>, _ drag: Drag) {
        let isBackward = unit.lowerBound < drag.origin.lowerBound
        let anchor = isBackward ? drag.origin.upperBound : drag.origin.lowerBound
        let head = isBackward ? unit.lowerBound : max(unit.upperBound, drag.origin.upperBound)
        select(TextSelection(anchor: TextPosition(anchor), head: TextPosition(head)))
        self.drag = drag
    }

    private func unit(at point: TextPoint, _ clicks: Int, in layout: some TextLayout) -> Range<Int> {
        let hit = layout.hit(at: point)
        let displayed = displayed
        if clicks <= 1 {
            let caret = valid(displayed.position(for: hit.caret)).offset
            return caret..<caret
        }
        if rules.mask != nil { return 0..<text.utf8.count }
        let character = text.index(at: valid(displayed.position(for: hit.character)).offset)
        let range = clicks == 2 ? text.segment(at: character) : text.line(containing: character)
        return text.offset(of: range.lowerBound)..<text.offset(of: range.upperBound)
    }

    // MARK: Positions

    private func valid(_ position: TextPosition) -> TextPosition {
        self.position(text.boundary(atOrBefore: position.offset))
    }

    private func position(_ index: String.Index) -> TextPosition { TextPosition(text.offset(of: index)) }

    private func indices(_ bytes: Range<Int>) -> Range<String.Index> {
        text.index(at: bytes.lowerBound)..<text.index(at: bytes.upperBound)
    }
}
