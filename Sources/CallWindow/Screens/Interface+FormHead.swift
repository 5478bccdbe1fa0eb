internal import WindowKit

extension Interface {
    private static let sign = 64.0

    /// Whether a form has an icon above its title; a low window omits it.
    private var hasSign: Bool { pageArea.height >= 540 }

    /// The height of a form's head, including the space below it.
    var formHeadHeight: Double { (hasSign ? Self.sign + Space.large : 0) + 36 + 48 + Space.large }

    /// Draws the head of a form: an icon, a title and a note, the last two given by their string keys.
    func formHead(_ glyph: Glyph, _ title: String, note: String, in box: Box) {
        var rest = box
        if hasSign {
            let center = rest.takeTop(Self.sign, gap: Space.large).center
            painter.disc(center, diameter: Self.sign, theme.brand)
            painter.glyph(glyph, center: center, size: 36, .white)
        }
        let line = rest.takeTop(36, gap: Space.tiny)
        painter.text(strings[title], in: line, .display, theme.text, .center)
        painter.paragraph(strings[note], in: rest, .body, theme.faint, .center, limit: 2)
    }
}
