internal import TextModel

extension Interface {
    package enum FieldKind: Hashable, Sendable {
        case text, digits, password
    }

    /// The height of a field with its label, in points.
    package static let fieldHeight = 22.0 + 4 + 46
    /// The height of the error line below a field, in points.
    package static let errorHeight = 20.0
    private static let errorLines = 4

    /// Draws a text field with its label above; `limit` is the maximum length in bytes.
    ///
    /// - Returns: The new text when the user has changed it, otherwise nil.
    package func textField(
        _ id: ControlID,
        _ label: String,
        _ text: String,
        in box: Box,
        hint: String = "",
        kind: FieldKind = .text,
        limit: Int = 512,
        error: String? = nil
    ) -> String? {
        var rest = box
        painter.text(label, in: rest.takeTop(22, gap: Space.tiny), .captionStrong, theme.faint)
        let frame = rest.takeTop(46)
        let control = control(id, frame)
        let isHeld = isReachable && focus.focused == id
        self.frame(id, frame, isHovered: control.isHovered, isHeld: isHeld, isRefused: error != nil)
        if control.isHovered { isTextCursor = true }
        let changed = edit(
            id,
            text,
            in: frame.inset(x: 2, y: 2),
            hint: hint,
            kind: kind,
            limit: limit,
            isHeld: isHeld
        )
        if let error { drawError(error, in: rest) }
        return changed
    }

    /// Computes the height of the error lines below a field of this width; 0 without an error.
    package func errorHeight(_ error: String?, width: Double) -> Double {
        guard let error else { return 0 }
        return max(
            Self.errorHeight,
            painter.height(of: error, .caption, width: width, limit: Self.errorLines)
        )
    }

    /// Computes the height of a field in a form, with space for one error line, or for all lines of a longer error.
    package func formFieldHeight(_ error: String?, width: Double) -> Double {
        Self.fieldHeight + max(Self.errorHeight, errorHeight(error, width: width))
    }

    /// Draws the error of a field, on as many lines as fit.
    func drawError(_ error: String, in box: Box) {
        let line = painter.height(of: "A", .caption, width: box.width)
        let lines = min(Self.errorLines, max(1, Int((box.height + 0.5) / line)))
        painter.paragraph(error, in: box, .caption, theme.dangerInk, limit: lines)
    }

    /// Draws the frame of a field, which shows whether the field has the keyboard focus and whether its content is
    /// invalid.
    func frame(
        _ id: ControlID,
        _ frame: Box,
        isHovered: Bool,
        isHeld: Bool,
        isRefused: Bool
    ) {
        let hover = motion.value(id, "hover", towards: isHovered ? 1 : 0)
        let held = motion.value(id, "held", towards: isHeld ? 1 : 0)
        let edge = isRefused ? theme.dangerInk : theme.link
        let resting = isRefused ? edge : theme.edge.mixed(with: theme.faint, share: 0.5 * hover)
        painter.fill(frame, radius: Corner.medium, theme.field)
        painter.stroke(
            frame,
            radius: Corner.medium,
            width: held > 0.5 ? 2 : 1,
            resting.mixed(with: edge, share: held)
        )
    }

    private func edit(
        _ id: ControlID,
        _ text: String,
        in box: Box,
        hint: String,
        kind: FieldKind,
        limit: Int,
        isHeld: Bool
    ) -> String? {
        let inside = box.inset(x: Space.medium, y: 0)
        guard isHeld else {
            if activeField == id { (activeField, editor) = (nil, nil) }
            let shown = kind == .password ? String(repeating: "•", count: text.count) : text
            let color = text.isEmpty ? theme.faint : theme.text
            painter.text(text.isEmpty ? hint : shown, in: inside, .body, color)
            return nil
        }
        (activeField, typedInto) = (activeField == id ? id : activate(id, text, kind, limit), box)
        guard var editor else { return nil }
        if editor.text != text { editor.setText(text) }
        handleEvent(of: id, in: inside, &editor)
        draw(&editor, in: inside, hint: hint)
        self.editor = editor
        return editor.text != text ? editor.text : nil
    }

    private func activate(_ id: ControlID, _ text: String, _ kind: FieldKind, _ limit: Int) -> ControlID {
        let rules = TextRules(mask: kind == .password ? "•" : nil, maximumBytes: limit)
        editor = FieldEditor(text, rules: rules, now: motion.time) { letter in
            kind != .digits || letter.isASCII && letter.isNumber
        }
        return id
    }

    private func handleEvent(of id: ControlID, in box: Box, _ editor: inout FieldEditor) {
        guard let event else { return }
        let layout = painter.layout(of: editor.editing.displayed)
        switch event {
        case .press(let place) where focus.focused == id && isHeld(id):
            let point = point(place, in: box, editor)
            editor.press(at: point, clicks: clicks.count, in: layout, now: motion.time)
        case .move(let place) where isHeld(id):
            editor.drag(to: point(place, in: box, editor), in: layout, now: motion.time)
        case .release: editor.endDrag()
        default: editor.handle(event, in: layout, now: motion.time)
        }
    }

    /// Converts a position in the window to a point in the text of a field.
    private func point(_ place: Point, in box: Box, _ editor: FieldEditor) -> TextPoint {
        TextPoint(x: (place.x - box.x) * painter.scale + editor.scroll, y: 1)
    }

    private func draw(_ editor: inout FieldEditor, in box: Box, hint: String) {
        let displayed = editor.editing.displayed
        let layout = painter.layout(of: displayed)
        let stroke = layout.caret(at: displayed.caret)
        let scale = painter.scale
        editor.scroll(to: stroke.top.x, width: box.width * scale, length: Double(layout.size.width))
        let (isVisible, changesAt) = editor.caret(at: motion.time)
        caretChangesAt = changesAt
        if displayed.string.isEmpty { painter.text(hint, in: box, .body, theme.faint) }
        let left = box.x - editor.scroll / scale
        let height = Double(layout.size.height) / scale
        let top = box.y + (box.height - height) / 2
        painter.clip(box.inset(x: -1, y: 0)) {
            for part in layout.boxes(of: displayed.selection) where part.width > 0 {
                let place = Box(x: left + part.x / scale, y: top, width: part.width / scale, height: height)
                painter.fill(place, theme.selection)
            }
            painter.draw(painter.paragraph(of: displayed), at: Point(left, top), theme.text)
            if let marked = displayed.marked {
                for part in layout.boxes(of: marked) where part.width > 0 {
                    let line = Box(
                        x: left + part.x / scale,
                        y: top + height - 1,
                        width: part.width / scale,
                        height: 1
                    )
                    painter.fill(line, theme.text)
                }
            }
            if isVisible, displayed.selection.isEmpty {
                let width = max(1, scale.rounded(.down)) / scale
                painter.fill(
                    Box(x: left + stroke.top.x / scale, y: top, width: width, height: height),
                    theme.text
                )
            }
        }
    }

    /// Checks whether the user pressed Return in one of these fields.
    package func submits(_ fields: ControlID...) -> Bool {
        guard let activeField, fields.contains(activeField) else { return false }
        return consumes(.enter)
    }
}
