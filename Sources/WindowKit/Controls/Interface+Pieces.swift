extension Interface {
    /// Draws the background of a card, with a shadow and a border.
    package func card(_ box: Box) {
        painter.shadow(of: box, radius: Corner.large, height: 14, theme.shadow)
        painter.fill(box, radius: Corner.large, theme.surface)
        painter.stroke(box, radius: Corner.large, theme.outline.mixed(with: theme.surface, share: 0.35))
    }

    /// Draws a progress spinner: an arc that rotates once per second.
    package func spinner(_ center: Point, diameter: Double, _ color: Color) {
        let turn = motion.time.truncatingRemainder(dividingBy: 1) * 2 * .pi
        motion.keepMoving()
        let width = min(max(2, diameter / 9), 3.5)
        var track = color
        track.alpha = UInt8(Double(color.alpha) * 0.2)
        painter.arc(center, radius: (diameter - width) / 2, from: 0, to: 2 * .pi, width: width, track)
        painter.arc(
            center,
            radius: (diameter - width) / 2,
            from: turn,
            to: turn + 1.5 * .pi * 0.66,
            width: width,
            color
        )
    }

    /// Draws a person's initials, or an icon if there are none, on a disc whose color depends on the name.
    package func avatar(_ name: String, center: Point, diameter: Double) {
        let color = Avatar.color(of: name)
        painter.disc(center, diameter: diameter, color)
        let initials = Avatar.initials(of: name)
        guard !initials.isEmpty else {
            return painter.glyph(.person, center: center, size: diameter * 0.6, .white)
        }
        let style: TypeStyle = diameter >= 72 ? .display : diameter >= 44 ? .title : .captionStrong
        let box = Box(center: center, width: diameter, height: diameter)
        painter.text(initials, in: box, style, .white, .center)
    }

    package enum Tone: Hashable, Sendable {
        case info, good, warning, error
    }

    func ink(of tone: Tone) -> Color {
        switch tone {
        case .info: theme.link
        case .good: theme.goodInk
        case .warning: theme.warningInk
        case .error: theme.dangerInk
        }
    }

    /// The maximum number of lines of a banner, which a long notice in a narrow window with large text needs.
    private static let bannerLines = 8

    package func bannerHeight(_ text: String, width: Double, hasAction: Bool) -> Double {
        let inside = width - 2 * Space.medium - 20 - Space.small
        let lines = painter.height(of: text, .caption, width: inside, limit: Self.bannerLines)
        return lines + 2 * Space.medium + (hasAction ? 36 + Space.small : 0)
    }

    /// Draws a message with an icon and an optional button; returns true when the user presses the button.
    @discardableResult package func banner(
        _ id: ControlID,
        _ text: String,
        _ tone: Tone,
        in box: Box,
        action: String? = nil,
        isEnabled: Bool = true
    ) -> Bool {
        let ink = ink(of: tone)
        painter.fill(box, radius: Corner.medium, theme.surface.mixed(with: ink, share: 0.12))
        painter.stroke(box, radius: Corner.medium, theme.surface.mixed(with: ink, share: 0.35))
        var inside = box.inset(by: Space.medium)
        let sign = inside.takeLeft(20, gap: Space.small)
        painter.glyph(
            tone == .good ? .check : .notice,
            center: Point(sign.center.x, sign.y + 9),
            size: 18,
            ink
        )
        let text = painter.paragraph(text, in: inside, .caption, theme.text, limit: Self.bannerLines)
        guard let action else { return false }
        let button = Box(
            x: inside.x,
            y: inside.y + text + Space.small,
            width: min(inside.width, buttonWidth(action)),
            height: 36
        )
        return self.button(id, action, .secondary, in: button, isEnabled: isEnabled)
    }

    /// Draws the name of a control as a tooltip above it, or below it if there is no space above.
    package func tooltip(_ id: ControlID, _ name: String, over box: Box, isShown: Bool) {
        let share = motion.value(id, "tooltip", towards: isShown ? 1 : 0, lasting: isShown ? 0.5 : 0.1)
        let opacity = max(0, (share - 0.8) * 5)
        guard showsTooltips, opacity > 0, !name.isEmpty else { return }
        let before = painter.opacity
        overlays.append { [self] in
            let width = min(painter.width(of: name, .caption) + 2 * Space.small, area.width - 8)
            var place = Box(center: Point(box.center.x, box.y - 22), width: width, height: 28)
            if place.y < 4 { place.y = box.bottom + Space.small }
            place.x = min(max(4, place.x), area.width - width - 4)
            painter.opacity = opacity * before
            painter.fill(place, radius: Corner.small, Color(0x2A3140))
            painter.text(name, in: place.inset(x: Space.small, y: 0), .caption, .white, .center)
            painter.opacity = 1
        }
    }

    /// Draws a thin horizontal line.
    package func divider(_ box: Box) {
        painter.fill(
            Box(x: box.x, y: box.center.y, width: box.width, height: 1 / painter.scale),
            theme.outline
        )
    }

    /// Draws a small label, such as a role.
    package func badge(_ text: String, _ tone: Color, in box: Box) {
        let width = min(painter.width(of: text, .captionStrong) + 2 * Space.medium, box.width)
        let pill = Box(x: box.right - width, y: box.center.y - 13, width: width, height: 26)
        painter.fill(pill, radius: 13, theme.surface.mixed(with: tone, share: 0.14))
        painter.text(text, in: pill.inset(x: Space.small, y: 0), .captionStrong, tone, .center)
    }
}
