extension Interface {
    /// A switch; its new value once the user has turned it.
    func toggle(_ id: ControlID, _ isOn: Bool, in box: Box, isEnabled: Bool = true) -> Bool? {
        let track = Box(x: box.right - 46, y: box.center.y - 13, width: 46, height: 26)
        let control = control(id, box, isEnabled: isEnabled)
        let on = motion.value(id, "on", towards: isOn ? 1 : 0)
        let hover = motion.value(id, "hover", towards: control.isHovered ? 1 : 0)
        let off = theme.outline.mixed(with: theme.faint, share: 0.5)
        let color = off.mixed(with: theme.brand, share: on).mixed(with: theme.highlight, share: 0.1 * hover)
        painter.fill(track, radius: 13, color)
        let knob = Point(track.x + 13 + 20 * on, track.center.y)
        painter.disc(knob, diameter: 20, .white)
        focusRing(control, id, around: track, radius: 13)
        return control.wasClicked ? !isOn : nil
    }

    /// A few choices side by side; the one that the user takes.
    func segments(_ id: ControlID, _ names: [String], selected: Int, in box: Box) -> Int? {
        painter.fill(box, radius: Corner.medium, theme.field)
        painter.stroke(box, radius: Corner.medium, theme.outline)
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

    /// A choice out of a list that opens; the one that the user takes.
    func menu(_ id: ControlID, _ names: [String], selected: Int, in box: Box) -> Int? {
        let control = control(id, box)
        let isOpen = openMenu == id
        let hover = motion.value(id, "hover", towards: control.isHovered || isOpen ? 1 : 0)
        painter.fill(box, radius: Corner.medium, theme.field)
        painter.stroke(
            box,
            radius: Corner.medium,
            theme.outline.mixed(with: theme.faint, share: 0.5 * hover)
        )
        var inside = box.inset(x: Space.medium, y: 0)
        painter.glyph(.chevron, center: inside.takeRight(20, gap: Space.small).center, size: 18, theme.faint)
        painter.text(names.indices.contains(selected) ? names[selected] : "", in: inside, .body, theme.text)
        focusRing(control, id, around: box, radius: Corner.medium)
        if control.wasClicked {
            openMenu = isOpen ? nil : id
            if !isOpen { focus.focus(id.child(selected), visibly: focus.isVisible) }
        }
        if openMenu == id {
            let opacity = motion.value(id, "open", towards: 1, from: 0)
            overlays.append { [self] in list(id, names, selected: selected, at: box, opacity: opacity) }
        }
        guard let choice = menuChoice, choice.menu == id else { return nil }
        menuChoice = nil
        return choice.index
    }

    private func list(_ id: ControlID, _ names: [String], selected: Int, at box: Box, opacity: Double) {
        let height = Double(names.count) * 40 + 8
        let fitsBelow = box.bottom + 4 + height <= area.bottom - 4
        let top = fitsBelow ? box.bottom + 4 : max(4, box.y - 4 - height)
        let panel = Box(x: box.x, y: top, width: box.width, height: min(height, area.height - 8))
        inLayer(10) {
            painter.opacity *= opacity
            painter.shadow(of: panel, radius: Corner.medium, height: 12, theme.shadow)
            painter.fill(panel, radius: Corner.medium, theme.surface)
            painter.stroke(panel, radius: Corner.medium, theme.outline)
            for (index, name) in names.enumerated() {
                row(id, name, index, isSelected: index == selected, in: panel)
            }
            painter.opacity = 1
            if takes(.down) { focus.move(backwards: false) }
            if takes(.up) { focus.move(backwards: true) }
            if takes(.escape) || isPressOutside(panel) {
                openMenu = nil
                focus.focus(id, visibly: focus.isVisible)
            }
        }
    }

    private func row(_ menu: ControlID, _ name: String, _ index: Int, isSelected: Bool, in panel: Box) {
        let box = Box(x: panel.x + 4, y: panel.y + 4 + Double(index) * 40, width: panel.width - 8, height: 40)
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
