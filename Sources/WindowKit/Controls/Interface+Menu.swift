extension Interface {
    /// The height of one choice in a list, in points.
    private static let row = 40.0
    /// The maximum number of choices visible without scrolling; the last one is cut in half to indicate that
    /// there are more.
    private static let shown = 10.5

    /// Draws a drop-down menu; the result is the index of the choice that the user selects, otherwise nil.
    package func menu(_ id: ControlID, _ names: [String], selected: Int, in box: Box) -> Int? {
        let control = control(id, box)
        let isOpen = openMenu == id
        let hover = motion.value(id, "hover", towards: control.isHovered || isOpen ? 1 : 0)
        painter.fill(box, radius: Corner.medium, theme.field)
        painter.stroke(
            box,
            radius: Corner.medium,
            theme.edge.mixed(with: theme.faint, share: 0.5 * hover)
        )
        var inside = box.inset(x: Space.medium, y: 0)
        painter.glyph(.chevron, center: inside.takeRight(20, gap: Space.small).center, size: 18, theme.faint)
        painter.text(names.indices.contains(selected) ? names[selected] : "", in: inside, .body, theme.text)
        focusRing(control, id, around: box, radius: Corner.medium)
        if control.wasClicked {
            openMenu = isOpen ? nil : id
            if !isOpen {
                focus.focus(id.child(selected), visibly: focus.isVisible)
                // A long list is initially scrolled so that the selected choice is in the middle.
                let middle = listHeight(names.count) / 2
                scrolls[id] = max(0, (Double(selected) + 0.5) * Self.row - middle)
            }
        }
        if openMenu == id {
            isMenuDrawn = true
            let opacity = motion.value(id, "open", towards: 1, from: 0)
            overlays.append { [self, theme] in
                let other = self.theme
                self.theme = theme
                list(id, names, selected: selected, at: box, opacity: opacity)
                self.theme = other
            }
        }
        guard let choice = menuChoice, choice.menu == id else { return nil }
        menuChoice = nil
        return choice.index
    }

    private func listHeight(_ count: Int) -> Double {
        min(min(Double(count), Self.shown) * Self.row + 8, area.height - 8)
    }

    private func list(_ id: ControlID, _ names: [String], selected: Int, at box: Box, opacity: Double) {
        let height = listHeight(names.count)
        let fitsBelow = box.bottom + 4 + height <= area.bottom - 4
        let top = fitsBelow ? box.bottom + 4 : max(4, box.y - 4 - height)
        let panel = Box(x: box.x, y: top, width: box.width, height: height)
        inLayer(10) {
            painter.opacity *= opacity
            painter.shadow(of: panel, radius: Corner.medium, height: 12, theme.shadow)
            painter.fill(panel, radius: Corner.medium, theme.surface)
            painter.stroke(panel, radius: Corner.medium, theme.outline)
            let view = panel.inset(x: 0, y: 4)
            scroll(id, view, contentHeight: Double(names.count) * Self.row) { content in
                for (index, name) in names.enumerated() {
                    row(id, name, index, isSelected: index == selected, in: content)
                }
            }
            painter.opacity = 1
            if consumes(.down) { focus.move(backwards: false) }
            if consumes(.up) { focus.move(backwards: true) }
            if consumes(.escape) || isPressOutside(panel) {
                openMenu = nil
                focus.focus(id, visibly: focus.isVisible)
            }
        }
    }

    private func row(_ menu: ControlID, _ name: String, _ index: Int, isSelected: Bool, in panel: Box) {
        let top = panel.y + Double(index) * Self.row
        let box = Box(x: panel.x + 4, y: top, width: panel.width - 8, height: Self.row)
        let id = menu.child(index)
        let control = control(id, box)
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        if hover > 0 || control.isFocused {
            painter.fill(
                box,
                radius: Corner.small,
                theme.surface.mixed(with: theme.field, share: max(hover, control.isFocused ? 1 : 0))
            )
        }
        var inside = box.inset(x: Space.small, y: 0)
        let sign = inside.takeRight(20, gap: Space.small)
        if isSelected { painter.glyph(.check, center: sign.center, size: 18, theme.link) }
        painter.text(name, in: inside, isSelected ? .strong : .body, theme.text)
        focusRing(control, id, around: box.inset(by: 4), radius: Corner.small)
        guard control.wasClicked else { return }
        menuChoice = (menu, index)
        openMenu = nil
        focus.focus(menu, visibly: focus.isVisible)
    }

    func isPressOutside(_ box: Box) -> Bool {
        guard case .press(let place) = event else { return false }
        return !box.contains(place)
    }
}
