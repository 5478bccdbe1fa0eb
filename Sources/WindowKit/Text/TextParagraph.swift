/// A text with all properties that determine its layout; lengths are in pixels.
package struct TextParagraph: Hashable, Sendable {
    package enum Alignment: Hashable, Sendable {
        /// The alignment to the start of a line, the middle, or the end; in right-to-left text, `leading` is the right
        /// side.
        case leading, center, trailing
    }

    package var text: String
    package var font: TextFont
    /// The width in which lines are aligned, and at which they are wrapped or shortened; nil for no limit.
    package var width: Int?
    /// The maximum number of lines between two line breaks if there is a `width`; nil for no limit.
    ///
    /// The last of them is shortened with an ellipsis. With 1, the whole text is on one line.
    package var maximumLines: Int?
    package var alignment = Alignment.leading
    /// The distance between two baselines; nil for the font's own.
    package var lineHeight: Double?

    package init(
        _ text: String,
        _ font: TextFont,
        width: Int? = nil,
        maximumLines: Int? = nil,
        alignment: Alignment = .leading,
        lineHeight: Double? = nil
    ) {
        (self.text, self.font, self.width) = (text, font, width)
        (self.maximumLines, self.alignment, self.lineHeight) = (maximumLines, alignment, lineHeight)
    }
}
