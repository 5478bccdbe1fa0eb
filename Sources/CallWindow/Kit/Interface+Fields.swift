internal import CImGui

extension Interface {
    enum FieldKind: Hashable, Sendable {
        case text, digits, password
    }

    /// The height of a field with its label, in points.
    static let fieldHeight = 22.0 + 4 + 46
    /// The height of the error line below a field, in points.
    static let errorHeight = 20.0

    /// Draws a text field with its label above; `limit` is the maximum length in bytes.
    ///
    /// - Returns: The new text when the user has changed it, otherwise nil.
    func textField(
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
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let held = motion.value(id, "held", towards: isHeld ? 1 : 0)
        let edge = error == nil ? theme.link : theme.dangerInk
        let resting = error == nil ? theme.edge.mixed(with: theme.faint, share: 0.5 * hover) : edge
        painter.fill(frame, radius: Corner.medium, theme.field)
        painter.stroke(
            frame,
            radius: Corner.medium,
            width: held > 0.5 ? 2 : 1,
            resting.mixed(with: edge, share: held)
        )
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
        if let error {
            painter.text(error, in: rest.takeTop(Self.errorHeight), .caption, theme.dangerInk)
        }
        return changed
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
        guard isReachable else {
            let shown = kind == .password ? String(repeating: "•", count: text.count) : text
            let color = text.isEmpty ? theme.faint : theme.text
            painter.text(text.isEmpty ? hint : shown, in: box.inset(x: Space.medium, y: 0), .body, color)
            return nil
        }
        let isPress = if case .press = event { true } else { false }
        var letters = [CChar](repeating: 0, count: limit + 1)
        for (index, byte) in text.utf8.prefix(letters.count - 1).enumerated() {
            letters[index] = CChar(bitPattern: byte)
        }
        var selection = theme.brand
        selection.alpha = 90
        let isActive = hint.withCString { hint in
            var field = cig_field()
            field.id = id.number
            field.rect = painter.pixels(box)
            field.font = Int32(TypeStyle.body.rawValue)
            field.padding = Float((Space.medium * painter.scale).rounded())
            field.hint = hint
            field.is_password = kind == .password
            field.is_digits = kind == .digits
            field.takes_focus = isHeld && activeField != id && !isPress
            // ImGui reads the text only when the field gets the focus, so a text that was changed elsewhere
            // requires that.
            field.gives_up_focus = !isHeld || activeField == id && enteredText != text
            field.color = painter.packed(theme.text)
            field.hint_color = painter.packed(theme.faint)
            field.selection_color = painter.packed(selection)
            return cig_edit(painter.imgui, &field, &letters, letters.count)
        }
        if isActive {
            activeField = id
            typedInto = box
        } else if activeField == id {
            activeField = nil
        }
        let bytes = letters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let edited = String(decoding: bytes, as: UTF8.self)
        if isActive { enteredText = edited }
        // An inactive field never reports a change, not even if its text exceeds `limit` and is shown
        // truncated.
        return isActive && edited != text ? edited : nil
    }

    /// Checks whether the user pressed Return in one of these fields.
    func submits(_ fields: ControlID...) -> Bool {
        guard let activeField, fields.contains(activeField) else { return false }
        return consumes(.enter)
    }
}
