extension Interface {
    /// The room that a page leaves below itself for a banner with a button, whether there is one or not, in
    /// points.
    private static let bannerRoom = 136.0

    /// Computes the place of a banner at the bottom of the window, and the height that it takes from the
    /// page.
    func bannerPlace(width: Double, _ text: String, hasAction: Bool) -> (box: Box, strip: Double) {
        let margin = area.width < 480 ? Space.medium : Space.huge
        let column = min(width, area.width - 2 * margin)
        let height = bannerHeight(text, width: column, hasAction: hasAction)
        let box = Box(
            x: ((area.width - column) / 2).rounded(),
            y: area.height - margin - height,
            width: column,
            height: height
        )
        return (box, height + margin + Space.small)
    }

    /// Draws a column in the middle of the window, scrollable if the window is too low for it.
    ///
    /// `strip` points at the bottom are kept free without moving the column.
    func page(_ id: ControlID, width: Double, height: Double, strip: Double = 0, _ body: (Box) -> Void) {
        let margin = area.width < 480 ? Space.medium : Space.huge
        // In a small window, the buttons in the corner stand beside the column, not above it.
        let hasLittle = area.height < 620 && area.width > width + 160
        let top = hasLittle ? Space.medium : 56.0
        let column = min(width, area.width - 2 * margin)
        // Slightly above the middle looks centered; if possible, a banner has room below.
        let spare = max(0, area.height - height - top - Space.huge)
        let above = max(top, min(top + spare * 0.42, area.height - height - Self.bannerRoom).rounded())
        let whole = Box(x: 0, y: 0, width: area.width, height: max(area.height / 2, area.height - strip))
        let content = max(above + height + (strip > 0 ? 0 : Space.huge), whole.height)
        scroll(id, whole, contentHeight: content) { box in
            body(
                Box(
                    x: ((area.width - column) / 2).rounded(),
                    y: box.y + above,
                    width: column,
                    height: height
                )
            )
        }
    }
}
