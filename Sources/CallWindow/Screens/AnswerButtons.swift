internal import WindowKit

/// The buttons that answer or decline an incoming call.
enum AnswerButtons {
    /// The height of the round buttons, including the names below them, in points.
    static let height = 84.0

    /// Draws both buttons; a press calls `answer`, with true to accept the call or false to decline it.
    @WindowActor static func draw(_ ui: Interface, _ box: Box, _ answer: (Bool) -> Void) {
        let halves = box.columns(2, gap: Space.large)
        if button(ui, "ring.decline", .hangUp, "room.decline", ui.theme.danger, halves[0]) { answer(false) }
        if button(ui, "ring.accept", .answer, "room.answer", Color(0x15803D), halves[1]) { answer(true) }
    }

    @WindowActor private static func button(
        _ ui: Interface,
        _ id: ControlID,
        _ glyph: Glyph,
        _ key: String,
        _ color: Color,
        _ box: Box
    ) -> Bool {
        let center = Point(box.center.x, box.y + 28)
        let name = Box(x: box.x, y: box.y + 62, width: box.width, height: 20)
        ui.painter.text(ui.strings[key], in: name, .captionStrong, ui.theme.text, .center)
        return ui.iconButton(id, glyph, "", center: center, diameter: 56, fill: color, ink: .white)
    }
}
