extension Interface {
    /// Draws a switch; the result is its new value when the user toggles it, otherwise nil.
    func toggle(_ id: ControlID, _ isOn: Bool, in box: Box, isEnabled: Bool = true) -> Bool? {
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

    /// Draws a few choices side by side; the result is the one that the user selects, otherwise nil.
    func segments(_ id: ControlID, _ names: [String], selected: Int, in box: Box) -> Int? {
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
