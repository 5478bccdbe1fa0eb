extension Interface {
    package enum ButtonStyle: Hashable, Sendable {
        case primary, secondary, danger, quiet
        /// The style of a button that asks for a confirmation of a destructive action.
        case quietDanger
    }

    package static let buttonHeight = 44.0

    /// Draws a button with a title; returns true when the user presses it.
    package func button(
        _ id: ControlID,
        _ title: String,
        _ style: ButtonStyle = .primary,
        in box: Box,
        glyph: Glyph? = nil,
        radius: Double = Corner.medium,
        isEnabled: Bool = true,
        isBusy: Bool = false
    ) -> Bool {
        let control = control(id, box, isEnabled: isEnabled)
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let press = motion.value(id, "press", towards: control.isPressed ? 1 : 0, lasting: 0.1)
        let enabled = motion.value(id, "enabled", towards: isEnabled ? 1 : 0)
        let face = box.inset(by: press)
        let (fill, ink) = colors(of: style)
        let shade = 0.10 * hover + 0.10 * press
        if let fill {
            let resting = theme.ground.mixed(with: theme.text, share: 0.08).mixed(with: fill, share: enabled)
            painter.fill(face, radius: radius, resting.mixed(with: theme.highlight, share: shade))
        } else if shade > 0 {
            var color = theme.highlight
            color.alpha = UInt8(255 * min(shade, 1) * 0.7)
            painter.fill(face, radius: radius, color)
        }
        if style == .secondary { painter.stroke(face, radius: radius, theme.outline) }
        let color = theme.faint.mixed(with: ink, share: enabled)
        label(title, glyph, in: face, color, isBusy: isBusy)
        focusRing(control, id, around: box, radius: radius)
        return control.wasClicked
    }

    /// Computes the preferred width of a button with this title.
    package func buttonWidth(_ title: String, hasGlyph: Bool = false) -> Double {
        painter.width(of: title, .strong).rounded(.up) + 2 * Space.large + (hasGlyph ? 20 + Space.small : 0)
    }

    private func label(_ title: String, _ glyph: Glyph?, in box: Box, _ color: Color, isBusy: Bool) {
        var inside = box.inset(x: Space.medium, y: 0)
        let words = painter.width(of: title, .strong)
        var sign = glyph != nil || isBusy ? 20 + Space.small : 0
        // If there is little space, the title takes precedence over the icon.
        if words + sign > inside.width, !isBusy { sign = 0 }
        guard words + sign <= inside.width else { return smallLabel(title, in: box, color, isBusy: isBusy) }
        inside = Box(center: box.center, width: words + sign + 1, height: box.height)
        if sign > 0 {
            let place = inside.takeLeft(20, gap: Space.small).center
            if isBusy {
                spinner(place, diameter: 18, color)
            } else if let glyph {
                painter.glyph(glyph, center: place, size: 20, color)
            }
        }
        painter.text(title, in: inside, .strong, color, sign > 0 ? .leading : .center)
    }

    /// Draws the title of a button on two lines, because it does not fit on one.
    private func smallLabel(_ title: String, in box: Box, _ color: Color, isBusy: Bool) {
        var inside = box.inset(x: Space.small, y: 0)
        if isBusy { spinner(inside.takeLeft(20, gap: Space.tiny).center, diameter: 18, color) }
        let height = painter.height(of: title, .captionStrong, width: inside.width, limit: 2)
        let lines = Box(x: inside.x, y: box.center.y - height / 2, width: inside.width, height: height)
        painter.paragraph(title, in: lines, .captionStrong, color, .center, limit: 2)
    }

    private func colors(of style: ButtonStyle) -> (fill: Color?, ink: Color) {
        switch style {
        case .primary: (theme.brand, theme.onBrand)
        case .secondary: (theme.surface, theme.text)
        case .danger: (theme.danger, theme.onDanger)
        case .quiet: (nil, theme.link)
        case .quietDanger: (nil, theme.dangerInk)
        }
    }

    /// Draws a round button with an icon and a tooltip; returns true when the user presses it.
    package func iconButton(
        _ id: ControlID,
        _ glyph: Glyph,
        _ name: String,
        center: Point,
        diameter: Double = 44,
        fill: Color? = nil,
        ink: Color? = nil,
        isEnabled: Bool = true
    ) -> Bool {
        let box = Box(center: center, width: diameter, height: diameter)
        let control = control(id, box, isEnabled: isEnabled)
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let press = motion.value(id, "press", towards: control.isPressed ? 1 : 0, lasting: 0.1)
        let face = diameter - 2 * press
        if let fill { painter.disc(center, diameter: face, fill) }
        let shade = 0.12 * hover + 0.10 * press
        if shade > 0 {
            var color = theme.highlight
            color.alpha = UInt8(255 * shade)
            painter.disc(center, diameter: face, color)
        }
        var color = ink ?? theme.text
        if !isEnabled { color.alpha = 110 }
        painter.glyph(glyph, center: center, size: (diameter * 0.46).rounded(), color)
        focusRing(control, id, around: box, radius: diameter / 2)
        tooltip(
            id,
            name,
            over: box,
            isShown: control.isFocused || control.isHovered && !control.isPressed && !focus.isVisible
        )
        return control.wasClicked
    }

    /// Draws a switch; the result is its new value when the user toggles it, otherwise nil.
    package func toggle(_ id: ControlID, _ isOn: Bool, in box: Box, isEnabled: Bool = true) -> Bool? {
        let track = Box(x: box.right - 46, y: box.center.y - 13, width: 46, height: 26)
        let control = control(id, box, isEnabled: isEnabled)
        let on = motion.value(id, "on", towards: isOn ? 1 : 0)
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let color = theme.edge.mixed(with: theme.brand, share: on).mixed(
            with: theme.highlight,
            share: 0.1 * hover
        )
        painter.fill(track, radius: 13, color)
        let knob = Point(track.x + 13 + 20 * on, track.center.y)
        painter.disc(knob, diameter: 20, .white)
        focusRing(control, id, around: track, radius: 13)
        return control.wasClicked ? !isOn : nil
    }

    /// Draws a segmented control, or a menu if it has no space for a name; the result is the index of the segment
    /// that the user selects, otherwise nil.
    package func segments(_ id: ControlID, _ names: [String], selected: Int, in box: Box) -> Int? {
        let space = (box.width - 6) / Double(max(1, names.count)) - 8
        if names.contains(where: { painter.width(of: $0, .captionStrong) > space }) {
            return menu(id, names, selected: selected, in: box)
        }
        painter.fill(box, radius: Corner.medium, theme.field)
        painter.stroke(box, radius: Corner.medium, theme.edge)
        let cells = box.inset(by: 3).columns(names.count, gap: 0)
        let place = motion.value(
            id,
            "place",
            towards: cells.indices.contains(selected) ? cells[selected].x : box.x
        )
        if let cell = cells.first {
            let mark = Box(x: place, y: cell.y, width: cell.width, height: cell.height)
            painter.shadow(of: mark, radius: Corner.small, height: 3, theme.shadow)
            painter.fill(mark, radius: Corner.small, theme.raised)
            painter.stroke(mark, radius: Corner.small, theme.outline)
        }
        var chosen: Int?
        for (index, cell) in cells.enumerated() {
            let segment = id.child(index)
            let control = control(segment, cell)
            let share = motion.value(
                segment,
                "ink",
                towards: index == selected ? 1 : control.isHovered ? 0.6 : 0
            )
            painter.text(
                names[index],
                in: cell.inset(x: 4, y: 0),
                .captionStrong,
                theme.faint.mixed(with: theme.text, share: share),
                .center
            )
            focusRing(control, segment, around: cell.inset(by: 2), radius: Corner.small)
            if control.wasClicked, index != selected { chosen = index }
        }
        return chosen
    }
}
