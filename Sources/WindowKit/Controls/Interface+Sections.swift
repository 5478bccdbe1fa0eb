extension Interface {
    /// A section of a page: a card below its name.
    package struct Section {
        let name: String
        /// The height of the content, in points.
        let height: Double
        /// Draws the content.
        let draw: (Box) -> Void

        package init(name: String, height: Double, draw: @escaping (Box) -> Void) {
            (self.name, self.height, self.draw) = (name, height, draw)
        }
    }

    private static let sectionName = 22.0

    /// Computes the width of the content of a section on a page that is `width` points wide, if possible.
    package func sectionWidth(_ width: Double) -> Double { columnWidth(width) - 2 * Space.large }

    /// Draws a page with a title and sections; it can be scrolled if the window is not high enough for it.
    package func page(_ id: ControlID, _ title: String, width: Double, sections: [Section]) {
        let card = 2 * Space.large + Space.large
        let heights = sections.map { Self.sectionName + Space.small + $0.height + card }
        let head = 36 + Space.large
        page(id, width: width, height: heights.reduce(head, +)) { content in
            var rest = content
            painter.text(title, in: rest.takeTop(36, gap: Space.large), .display, theme.text)
            for section in sections {
                let name = rest.takeTop(Self.sectionName, gap: Space.small)
                painter.text(section.name, in: name, .captionStrong, theme.faint)
                let card = rest.takeTop(section.height + 2 * Space.large, gap: Space.large)
                self.card(card)
                section.draw(card.inset(by: Space.large))
            }
        }
    }
}
