extension Interface {
    /// Draws a sheet that blocks the screen below it; true when the user closes it.
    func sheet(
        _ id: ControlID,
        _ title: String,
        isOpen: Bool,
        width: Double = 440,
        contentHeight: Double,
        _ body: (Box) -> Void
    ) -> Bool {
        let share = motion.value(id, "open", towards: isOpen ? 1 : 0, from: 0)
        guard share > 0 || isOpen else { return false }
        let head = 64.0
        let full = head + contentHeight + Space.huge
        let room = area.inset(x: Space.medium, y: Space.medium)
        let panel = Box(
            center: area.center,
            width: min(width, room.width),
            height: min(full, room.height)
        )
        .moved(y: (1 - share) * 16)
        var isClosed = false
        inLayer(1, isInert: !isOpen) {
            painter.opacity = share
            painter.fill(area, theme.scrim)
            painter.shadow(of: panel, radius: Corner.large, height: 24, theme.shadow)
            painter.fill(panel, radius: Corner.large, theme.surface)
            painter.stroke(panel, radius: Corner.large, theme.outline.mixed(with: theme.surface, share: 0.35))
            var rest = panel
            var top = rest.takeTop(head).inset(x: Space.huge, y: 0)
            let close = top.takeRight(36, gap: Space.small).center
            painter.text(title, in: top, .title, theme.text)
            let inside = Box(
                x: rest.x,
                y: rest.y,
                width: rest.width,
                height: max(0, rest.height - Space.medium)
            )
            scroll(id, inside, contentHeight: contentHeight + Space.medium) { content in
                body(content.inset(x: Space.huge, y: 0))
            }
            let name = strings["common.close"]
            isClosed = iconButton(id.child(0), .cross, name, center: close, diameter: 36)
            if isOpen, openMenu == nil, takes(.escape) || isReachable && isPressOutside(panel) {
                isClosed = true
            }
            painter.opacity = 1
        }
        return isClosed
    }
}
