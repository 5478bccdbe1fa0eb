/// A point in a layout, in the layout's own units; y grows downwards.
package struct TextPoint: Hashable, Sendable {
    package var x: Double
    package var y: Double

    /// Creates a point.
    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// The vertical line that shows the caret.
package struct CaretLine: Hashable, Sendable {
    /// The upper end.
    package let top: TextPoint

    package let height: Double

    /// Creates a line that begins at `top`.
    package init(top: TextPoint, height: Double) {
        self.top = top
        self.height = height
    }
}

/// The text positions for a point.
package struct TextHit: Hashable, Sendable {
    /// The caret position nearest to the point.
    package let caret: DisplayedPosition

    /// The start of the character at the point; after a line's last character, the start of that character
    /// or the same position as `caret`.
    package let character: DisplayedPosition

    /// Creates the text positions for a point.
    package init(caret: DisplayedPosition, character: DisplayedPosition) {
        self.caret = caret
        self.character = character
    }
}

/// A direction on the screen, regardless of the text direction.
package enum VisualDirection: Sendable {
    case left, right
}

/// The geometry of displayed text.
///
/// Implementations lay out `DisplayedText.string`. They clamp a position outside the text to it, and move a position
/// inside a character to its start.
package protocol TextLayout {
    /// Returns the line that shows a caret at `position`.
    func caret(at position: DisplayedPosition) -> CaretLine

    /// Returns the positions nearest to a point, which may lie outside the text.
    func hit(at point: TextPoint) -> TextHit

    /// Returns the first and the last caret position of the displayed line that contains `position`.
    ///
    /// A position at which a line is wrapped belongs to the lower line.
    func line(containing position: DisplayedPosition) -> ClosedRange<DisplayedPosition>

    /// Returns the caret position nearest to `x`, in the line that is `lines` displayed lines below `position` (above,
    /// if negative).
    ///
    /// - Returns: The position; nil above the first line and below the last.
    func position(lines: Int, below position: DisplayedPosition, x: Double) -> DisplayedPosition?

    /// Returns the caret position next to `position` on the screen.
    ///
    /// - Returns: The position; nil at the edge of the text.
    func position(beside position: DisplayedPosition, _ direction: VisualDirection) -> DisplayedPosition?
}
