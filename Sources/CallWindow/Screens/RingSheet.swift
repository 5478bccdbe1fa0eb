internal import CallFlow

/// Somebody calls while the room is shown.
@WindowActor struct RingSheet {
    let model: RoomViewModel

    func draw(_ ui: Interface, _ ring: RoomState.Ring?) {
        let share = ui.motion.value("ring", "open", towards: ring == nil ? 0 : 1, from: 0)
        guard let ring else { return }
        let name = ring.peer ?? ui.strings["common.peer"]
        ui.inLayer(2) {
            ui.painter.opacity = 0.3 + 0.7 * share
            ui.painter.fill(ui.area, ui.theme.scrim)
            let panel = Box(
                center: ui.area.center,
                width: min(360, ui.area.width - 2 * Space.medium),
                height: min(328, ui.area.height - 2 * Space.medium)
            )
            .moved(y: (1 - share) * 16)
            ui.painter.shadow(of: panel, radius: Corner.large, height: 24, ui.theme.shadow)
            ui.painter.fill(panel, radius: Corner.large, ui.theme.surface)
            var rest = panel.inset(by: Space.huge)
            drawCaller(ui, name, rest.takeTop(96, gap: Space.large).center)
            ui.painter.text(name, in: rest.takeTop(28), .title, ui.theme.text, .center)
            ui.painter.text(
                ui.strings["room.ring"],
                in: rest.takeTop(22, gap: Space.huge),
                .body,
                ui.theme.faint,
                .center
            )
            drawButtons(ui, rest)
            ui.painter.opacity = 1
        }
    }

    /// Waves go out from who calls.
    private func drawCaller(_ ui: Interface, _ name: String, _ center: Point) {
        ui.motion.keepMoving()
        let time = (ui.motion.time / 1.6).truncatingRemainder(dividingBy: 1)
        for wave in [time, (time + 0.5).truncatingRemainder(dividingBy: 1)] {
            var color = ui.theme.brand
            color.alpha = UInt8(90 * (1 - wave))
            ui.painter.arc(
                center,
                radius: 40 + 18 * wave,
                from: 0,
                to: 2 * .pi,
                width: 2,
                color
            )
        }
        ui.avatar(name, center: center, diameter: 80)
    }

    private func drawButtons(_ ui: Interface, _ box: Box) {
        let halves = box.columns(2, gap: Space.large)
        drawChoice(ui, "ring.decline", .hangUp, "room.decline", ui.theme.danger, halves[0]) {
            model.send(.decline)
        }
        drawChoice(ui, "ring.accept", .answer, "room.answer", Color(0x15803D), halves[1]) {
            model.send(.accept)
        }
    }

    private func drawChoice(
        _ ui: Interface,
        _ id: ControlID,
        _ glyph: Glyph,
        _ key: String,
        _ color: Color,
        _ box: Box,
        _ action: () -> Void
    ) {
        let center = Point(box.center.x, box.y + 28)
        if ui.iconButton(id, glyph, "", center: center, diameter: 56, fill: color, ink: .white) { action() }
        let name = Box(x: box.x, y: box.y + 62, width: box.width, height: 20)
        ui.painter.text(ui.strings[key], in: name, .captionStrong, ui.theme.text, .center)
    }
}
