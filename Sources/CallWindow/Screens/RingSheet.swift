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
                height: min(312, ui.area.height - 2 * Space.medium)
            )
            .moved(y: (1 - share) * 16)
            ui.painter.shadow(of: panel, radius: Corner.large, height: 24, ui.theme.shadow)
            ui.painter.fill(panel, radius: Corner.large, ui.theme.surface)
            ui.painter.stroke(
                panel,
                radius: Corner.large,
                ui.theme.outline.mixed(with: ui.theme.surface, share: 0.35)
            )
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
            AnswerButtons.draw(ui, rest) { [model] in model.send($0 ? .accept : .decline) }
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
}
