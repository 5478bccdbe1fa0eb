internal import TextModel

extension Interface {
    /// The space above and below the text of a field with several lines, in points.
    private static let margin = 11.0
    /// The maximum number of visible lines; a longer text is scrolled.
    private static let mostLines = 6

    /// Computes the height of a multi-line field with this text and width, in points.
    package func textAreaHeight(_ text: String, width: Double) -> Double {
        let inside = width - 2 * Space.medium
        let shown = text.isEmpty ? " " : text
        let height = painter.size(ofMessage: shown, width: inside).height
        return min(height, Double(Self.mostLines) * TypeStyle.body.lineHeight) + 2 * Self.margin
    }

    /// Draws a multi-line field; `limit` is the maximum length in bytes, `longest` that in characters.
    ///
    /// Shift+Return breaks a line; `submits(_:)` reports Return alone. A field that `takesKeys` also receives the text
    /// that is typed while no other field has the keyboard focus.
    ///
    /// - Returns: The new text when the user has changed it, otherwise nil.
    package func textArea(
        _ id: ControlID,
        _ text: String,
        in frame: Box,
        hint: String,
        limit: Int,
        longest: Int,
        takesKeys: Bool = false
    ) -> String? {
        let control = control(id, frame)
        if takesKeys { takeKeys(id, frame) }
        let isHeld = isReachable && focus.focused == id
        self.frame(id, frame, isHovered: control.isHovered, isHeld: isHeld, isRefused: false)
        if control.isHovered { isTextCursor = true }
        let inside = frame.inset(x: Space.medium, y: Self.margin)
        guard isHeld else {
            if activeField == id { (activeField, editor) = (nil, nil) }
            painter.clip(frame.inset(x: 2, y: 2)) {
                if text.isEmpty {
                    painter.text(
                        hint,
                        in: Box(center: inside.center, width: inside.width, height: 22),
                        .body,
                        theme.faint
                    )
                } else {
                    painter.message(text, in: inside, theme.text)
                }
            }
            return nil
        }
        typedInto = frame
        if activeField != id {
            let rules = TextRules(isMultiline: true, maximumBytes: limit, maximumCharacters: longest)
            editor = FieldEditor(text, rules: rules, now: motion.time) { _ in true }
            editor?.moveToEnd()
            activeField = id
        }
        guard var editor else { return nil }
        if editor.text != text { editor.setText(text) }
        handle(event, of: id, in: inside, &editor)
        draw(&editor, in: inside, hint: hint)
        self.editor = editor
        return editor.text != text ? editor.text : nil
    }

    /// Gives the field the keyboard focus when text is typed while no field has the focus.
    private func takeKeys(_ id: ControlID, _ frame: Box) {
        guard isReachable, activeField == nil, focus.focused != id else { return }
        typedInto = frame
        switch event {
        // The space bar presses the control that has the focus.
        case .text(" ") where focus.focused != nil: break
        case .text, .marked: focus.focus(id)
        case .move, .leave, .press, .release, .wheel, .key, .other, nil: break
        }
    }

    private func handle(_ event: InputEvent?, of id: ControlID, in box: Box, _ editor: inout FieldEditor) {
        guard let event else { return }
        let layout = painter.layout(of: editor.editing.displayed, width: box.width)
        func point(_ place: Point) -> TextPoint {
            TextPoint(
                x: (place.x - box.x) * painter.scale,
                y: (place.y - box.y) * painter.scale + editor.scrolledUp
            )
        }
        switch event {
        case .press(let place) where focus.focused == id && isHeld(id):
            editor.press(at: point(place), clicks: clicks.count, in: layout, now: motion.time)
        case .move(let place) where isHeld(id):
            editor.drag(to: point(place), in: layout, now: motion.time)
        case .release: editor.endDrag()
        case .key(let key) where editor.handleLines(key, in: layout, now: motion.time): break
        default: editor.handle(event, in: layout, now: motion.time)
        }
    }

    private func draw(_ editor: inout FieldEditor, in box: Box, hint: String) {
        let displayed = editor.editing.displayed
        let paragraph = painter.paragraph(of: displayed, width: box.width)
        let layout = painter.layout(of: displayed, width: box.width)
        let (scale, line) = (painter.scale, TypeStyle.body.lineHeight * painter.scale)
        let stroke = layout.caret(at: displayed.caret)
        let length = Double(layout.lineCount) * line
        editor.scroll(
            toLineFrom: stroke.top.y,
            to: stroke.top.y + line,
            height: box.height * scale,
            length: length
        )
        let (isVisible, changesAt) = editor.caret(at: motion.time)
        caretChangesAt = changesAt
        if displayed.string.isEmpty {
            painter.text(hint, in: Box(center: box.center, width: box.width, height: 22), .body, theme.faint)
        }
        let top = box.y - editor.scrolledUp / scale
        painter.clip(box.inset(x: -1, y: -2)) {
            func place(_ part: TextBox) -> Box {
                Box(
                    x: box.x + part.x / scale,
                    y: top + part.y / scale,
                    width: part.width / scale,
                    height: part.height / scale
                )
            }
            for part in layout.boxes(of: displayed.selection) where part.width > 0 {
                painter.fill(place(part), theme.selection)
            }
            painter.draw(paragraph, at: Point(box.x, top), theme.text)
            if let marked = displayed.marked {
                for part in layout.boxes(of: marked) where part.width > 0 {
                    let box = place(part)
                    painter.fill(Box(x: box.x, y: box.bottom - 1, width: box.width, height: 1), theme.text)
                }
            }
            guard isVisible, displayed.selection.isEmpty else { return }
            let width = max(1, scale.rounded(.down)) / scale
            let caret = Box(
                x: box.x + stroke.top.x / scale,
                y: top + stroke.top.y / scale,
                width: width,
                height: stroke.height / scale
            )
            painter.fill(caret, theme.text)
        }
    }
}

extension Painter {
    fileprivate func layout(of displayed: DisplayedText, width: Double) -> LaidOutText {
        layout(paragraph(of: displayed, width: width))
    }
}
