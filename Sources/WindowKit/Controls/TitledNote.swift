/// A title with a note below it, both of which are wrapped if they do not fit on one line.
@WindowActor package struct TitledNote {
    private static let limit = 3
    private let title: String
    private let style: TypeStyle
    private let note: String

    package init(_ title: String, _ style: TypeStyle = .strong, note: String) {
        (self.title, self.style, self.note) = (title, style, note)
    }

    /// Computes the height in points, at least 42.
    package func height(_ ui: Interface, width: Double) -> Double {
        heights(ui, width).title + heights(ui, width).note
    }

    /// Draws both, vertically centered in the box.
    package func draw(_ ui: Interface, in box: Box, ink: Color, noteInk: Color) {
        let heights = heights(ui, box.width)
        var rest = Box(center: box.center, width: box.width, height: heights.title + heights.note)
        let first = rest.takeTop(heights.title)
        ui.painter.paragraph(title, in: first, style, ink, limit: Self.limit)
        ui.painter.paragraph(note, in: rest, .caption, noteInk, limit: Self.limit)
    }

    private func heights(_ ui: Interface, _ width: Double) -> (title: Double, note: Double) {
        (
            max(22, ui.painter.height(of: title, style, width: width, limit: Self.limit)),
            max(20, ui.painter.height(of: note, .caption, width: width, limit: Self.limit))
        )
    }
}
