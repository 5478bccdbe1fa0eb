internal import TextModel

/// The editor of the active text field, with its text and its scroll position.
struct FieldEditor {
    private(set) var editing: TextEditing
    private let accepts: (Character) -> Bool
    /// The distance in pixels by which the text is moved to the left.
    private(set) var scroll = 0.0
    /// The distance in pixels by which lines are moved up.
    private(set) var scrolledUp = 0.0
    /// The time of the last input, at which the caret begins to blink.
    private(set) var lastInput: Double

    /// The time in seconds for which the blinking caret is visible, and then hidden.
    static let blink = 0.53

    /// Creates an editor whose whole text is selected.
    init(_ text: String, rules: TextRules, now: Double, accepts: @escaping (Character) -> Bool) {
        editing = TextEditing(text, rules: rules)
        editing.selectAll()
        lastInput = now
        self.accepts = accepts
    }

    var text: String { editing.text }

    /// Replaces the text by one that was changed elsewhere; the caret stays where it is.
    mutating func setText(_ text: String) {
        let caret = editing.selection.head
        editing.setText(text)
        editing.select(TextSelection(caret: caret))
    }

    /// Handles typed text, the text of an input method, and editing keys.
    mutating func handle(_ event: InputEvent, in layout: some TextLayout, now: Double) {
        switch event {
        case .text(let text): editing.insert(text.filter(accepts))
        case .marked(let text, let selection):
            editing.setMarkedText(text.filter(accepts), selection: selection)
        case .key(.edit(let key, let ctrl, let shift)): handle(key, ctrl, shift, in: layout)
        case .key, .move, .leave, .press, .release, .wheel, .other: return
        }
        lastInput = now
    }

    /// Handles line breaks, and the keys that move by lines or within one; returns false for all other keys.
    mutating func handleLines(_ key: InputKey, in layout: some TextLayout, now: Double) -> Bool {
        switch key {
        case .lineBreak: editing.insert("\n")
        case .up: editing.move(.lines(-1), in: layout, isExtending: false)
        case .down: editing.move(.lines(1), in: layout, isExtending: false)
        case .edit(.home, false, let shift): editing.move(.lineStart, in: layout, isExtending: shift)
        case .edit(.end, false, let shift): editing.move(.lineEnd, in: layout, isExtending: shift)
        default: return false
        }
        lastInput = now
        return true
    }

    private mutating func handle(
        _ key: EditKey,
        _ ctrl: Bool,
        _ shift: Bool,
        in layout: some TextLayout
    ) {
        switch key {
        case .left where ctrl: editing.move(.wordBackward, isExtending: shift)
        case .right where ctrl: editing.move(.wordForward, isExtending: shift)
        case .left: editing.move(.beside(.left), in: layout, isExtending: shift)
        case .right: editing.move(.beside(.right), in: layout, isExtending: shift)
        case .home: editing.move(.documentStart, isExtending: shift)
        case .end: editing.move(.documentEnd, isExtending: shift)
        case .delete: editing.delete(ctrl ? .wordForward : .characterForward)
        case .backspace: editing.delete(ctrl ? .wordBackward : .characterBackward)
        case .a: editing.selectAll()
        case .c: if let text = editing.copy() { Clipboard.text = text }
        case .x: if let text = editing.cut() { Clipboard.text = text }
        case .v: editing.paste(Clipboard.text.filter(accepts))
        case .z where shift: editing.redo()
        case .z: editing.undo()
        case .y: editing.redo()
        }
    }

    mutating func press(at point: TextPoint, clicks: Int, in layout: some TextLayout, now: Double) {
        editing.press(at: point, clicks: clicks, in: layout)
        lastInput = now
    }

    mutating func drag(to point: TextPoint, in layout: some TextLayout, now: Double) {
        editing.drag(to: point, in: layout)
        lastInput = now
    }

    mutating func endDrag() { editing.endDrag() }

    /// Scrolls until the caret is visible in a field of `width` pixels; the text is `length` pixels long.
    mutating func scroll(to caret: Double, width: Double, length: Double) {
        scroll = min(scroll, max(0, length + 1 - width))
        if caret < scroll { scroll = caret }
        if caret + 1 > scroll + width { scroll = caret + 1 - width }
    }

    /// Scrolls until the caret, from `top` to `bottom`, is visible in a field of `height` pixels; the text is `length`
    /// pixels high.
    mutating func scroll(toLineFrom top: Double, to bottom: Double, height: Double, length: Double) {
        scrolledUp = min(scrolledUp, max(0, length - height))
        if top < scrolledUp { scrolledUp = top }
        if bottom > scrolledUp + height { scrolledUp = bottom - height }
    }

    /// Moves the caret to the end of the text, without a selection.
    mutating func moveToEnd() { editing.move(.documentEnd, isExtending: false) }

    /// Returns whether the caret is visible at a time, and the time at which this changes.
    func caret(at now: Double) -> (isVisible: Bool, changesAt: Double) {
        let turns = max(0, ((now - lastInput) / Self.blink).rounded(.down))
        let isVisible = turns.truncatingRemainder(dividingBy: 2) == 0
        return (isVisible, lastInput + (turns + 1) * Self.blink)
    }
}
