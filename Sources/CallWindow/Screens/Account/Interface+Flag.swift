internal import WindowKit

extension Interface {
    /// Draws the flag of a region, or its letters where there is none.
    func flag(_ region: String, in box: Box) {
        guard !painter.flag(region, in: box) else { return }
        painter.text(region, in: box, .captionStrong, theme.faint, .center)
    }
}
