internal import WindowKit

extension Interface {
    /// Draws the flag of a region, or its two-letter code if there is no flag.
    func flag(_ region: String, in box: Box) {
        guard !painter.flag(region, in: box) else { return }
        painter.text(region, in: box, .captionStrong, theme.faint, .center)
    }
}
