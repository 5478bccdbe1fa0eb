/// An editing step in a field whose owner stores and formats its text.
package enum EntryStep: Hashable, Sendable {
    case insert(String)
    /// Deletes the character before the cursor.
    case backspace
    /// Deletes the character after the cursor.
    case delete
    /// Moves the cursor by a number of characters.
    case move(Int)
    /// Selects the whole text, which the next step replaces or deletes.
    case selectAll
    /// Moves the cursor to a position, counted in characters of the displayed text.
    case place(Int)
}

extension EntryStep {
    /// Whether the step inserts or deletes text.
    package var changesText: Bool {
        switch self {
        case .insert, .backspace, .delete: true
        case .move, .place, .selectAll: false
        }
    }
}

extension Interface {
    /// The time in seconds for which the blinking caret of an entry is visible, and then hidden.
    private static let blink = FieldEditor.blink

    /// Draws a single-line field whose text is formatted by its owner, such as a phone number.
    ///
    /// - Parameters:
    ///   - id: The ID of the field.
    ///   - label: The text above the field.
    ///   - text: The formatted text.
    ///   - cursor: The position of the cursor in `text`, in characters.
    ///   - box: The rectangle of the field with its label and its error line.
    ///   - inset: The width in points at the left that is reserved for other content.
    ///   - hint: The placeholder of an empty field.
    ///   - isSelected: Whether the whole text is selected.
    ///   - error: The reason why the text is invalid; nil if it is valid.
    /// - Returns: The editing step of the user; nil if there is none.
    package func entry(
        _ id: ControlID,
        _ label: String,
        _ text: String,
        cursor: Int,
        in box: Box,
        inset: Double,
        hint: String,
        isSelected: Bool = false,
        error: String? = nil
    ) -> EntryStep? {
        var rest = box
        painter.text(label, in: rest.takeTop(22, gap: Space.tiny), .captionStrong, theme.faint)
        let frame = rest.takeTop(46)
        var inside = frame
        _ = inside.takeLeft(inset)
        let control = control(id, inside)
        let isHeld = hold(id, inside)
        self.frame(id, frame, isHovered: control.isHovered, isHeld: isHeld, isRefused: error != nil)
        if control.isHovered { isTextCursor = true }
        let line = inside.inset(x: Space.small, y: 0)
        // A text that is too long is moved to the left until the cursor is in sight.
        let caret = width(before: cursor, in: text)
        let hidden = isHeld ? max(0, caret + 1 - line.width) : 0
        if text.isEmpty || !isHeld {
            painter.text(text.isEmpty ? hint : text, in: line, .body, text.isEmpty ? theme.faint : theme.text)
        } else {
            painter.clip(line.inset(x: -1, y: 0)) {
                let whole = painter.width(of: text, .body) + 1
                let place = Box(x: line.x - hidden, y: line.y, width: whole, height: line.height)
                if isSelected {
                    let marked = Box(x: place.x, y: line.center.y - 11, width: whole, height: 22)
                    painter.fill(marked, theme.selection)
                }
                painter.text(text, in: place, .body, theme.text)
            }
        }
        if let error { drawError(error, in: rest) }
        guard isHeld else { return nil }
        if !isSelected || text.isEmpty { drawCaret(at: line.x + caret - hidden, in: line, height: 22) }
        if case .press(let place) = event, isHeldByPointer(id) {
            return .place(nearest(to: place.x - line.x + hidden, in: text))
        }
        return step(event, length: text.count)
    }

    /// Draws cells for the digits of a code; the next empty cell is marked.
    ///
    /// - Returns: The editing step of the user; nil if there is none.
    package func cells(
        _ id: ControlID,
        _ digits: String,
        count: Int,
        in box: Box,
        isRefused: Bool,
        isEnabled: Bool
    ) -> EntryStep? {
        let control = control(id, box, isEnabled: isEnabled)
        let isHeld = isEnabled && hold(id, box)
        let characters = Array(digits)
        for (index, cell) in box.columns(count, gap: Space.small).enumerated() {
            let isNext = isHeld && index == min(characters.count, count - 1)
            frame(
                id.child(index),
                cell,
                isHovered: control.isHovered,
                isHeld: isNext,
                isRefused: isRefused
            )
            if index < characters.count {
                painter.text(String(characters[index]), in: cell, .title, theme.text, .center)
            } else if isNext {
                drawCaret(at: cell.center.x, in: cell, height: 24)
            }
        }
        if control.isHovered { isTextCursor = true }
        return isHeld ? step(event, length: digits.count) : nil
    }

    /// Activates the field if it has the keyboard focus, and returns whether it has.
    private func hold(_ id: ControlID, _ box: Box) -> Bool {
        guard isReachable, focus.focused == id else {
            if activeField == id { (activeField, editor) = (nil, nil) }
            return false
        }
        if activeField != id { (activeField, editor) = (id, nil) }
        typedInto = box
        return true
    }

    private func isHeldByPointer(_ id: ControlID) -> Bool { focus.focused == id && isHeld(id) }

    private func step(_ event: InputEvent?, length: Int) -> EntryStep? {
        switch event {
        case .text(let text): .insert(text)
        case .key(.edit(.a, _, _)): .selectAll
        case .key(.edit(.v, _, _)): .insert(Clipboard.text)
        case .key(.edit(.backspace, _, _)): .backspace
        case .key(.edit(.delete, _, _)): .delete
        case .key(.edit(.left, _, _)): .move(-1)
        case .key(.edit(.right, _, _)): .move(1)
        case .key(.edit(.home, _, _)): .place(0)
        case .key(.edit(.end, _, _)): .place(length)
        default: nil
        }
    }

    private func drawCaret(at x: Double, in box: Box, height: Double) {
        let turns = (motion.time / Self.blink).rounded(.down)
        caretChangesAt = (turns + 1) * Self.blink
        guard turns.truncatingRemainder(dividingBy: 2) == 0 else { return }
        let width = max(1, painter.scale.rounded(.down)) / painter.scale
        painter.fill(Box(x: x, y: box.center.y - height / 2, width: width, height: height), theme.text)
    }

    private func width(before cursor: Int, in text: String) -> Double {
        let before = String(text.prefix(max(0, cursor)))
        return before.isEmpty ? 0 : painter.width(of: before, .body)
    }

    /// Finds the character position in the text that is nearest to a distance in points from its start.
    private func nearest(to distance: Double, in text: String) -> Int {
        let places = 0...text.count
        return places.min {
            abs(width(before: $0, in: text) - distance) < abs(width(before: $1, in: text) - distance)
        }
            ?? 0
    }
}
