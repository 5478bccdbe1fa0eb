extension Interface {
    enum ButtonStyle: Hashable, Sendable {
        case primary, secondary, danger, quiet
    }

    static let buttonHeight = 44.0

    /// Draws a button with a title; true when the user presses it.
    func button(
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
    func buttonWidth(_ title: String, hasGlyph: Bool = false) -> Double {
        painter.width(of: title, .strong).rounded(.up) + 2 * Space.large + (hasGlyph ? 20 + Space.small : 0)
    }

    private func label(_ title: String, _ glyph: Glyph?, in box: Box, _ color: Color, isBusy: Bool) {
        var inside = box.inset(x: Space.medium, y: 0)
        let sign = glyph != nil || isBusy ? 20 + Space.small : 0
        let width = min(painter.width(of: title, .strong) + sign, inside.width)
        inside = Box(center: box.center, width: width + 1, height: box.height)
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

    private func colors(of style: ButtonStyle) -> (fill: Color?, ink: Color) {
        switch style {
        case .primary: (theme.brand, theme.onBrand)
        case .secondary: (theme.surface, theme.text)
        case .danger: (theme.danger, theme.onDanger)
        case .quiet: (nil, theme.link)
        }
    }

    /// Draws a round button with an icon and a tooltip; true when the user presses it.
    func iconButton(
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
}
