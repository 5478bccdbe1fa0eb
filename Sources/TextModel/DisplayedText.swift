/// Text that is being composed with an input method; it is not part of a field's text before it is committed.
package struct MarkedText: Hashable, Sendable {
    /// The text, without line breaks.
    package let text: String

    /// The input method's own selection, or its caret if empty, in UTF-8 bytes of `text`.
    let selection: Range<Int>
}

/// The text of a field in the form in which a layout displays it: masked if required, and with marked text, if any, at
/// the caret.
///
/// Marked text is displayed instead of the selected text, which it replaces when it is committed.
package struct DisplayedText: Sendable {
    /// The displayed text.
    package let string: String

    /// The position of the caret.
    package private(set) var caret = DisplayedPosition(0)

    /// The selected text; empty while marked text is displayed.
    package private(set) var selection = DisplayedPosition(0)..<DisplayedPosition(0)

    /// The marked text, which is usually underlined.
    package private(set) var marked: Range<DisplayedPosition>?

    /// The part of the marked text that the input method is converting; empty if the input method has only a caret.
    package private(set) var markedSelection: Range<DisplayedPosition>?

    private let text: String
    private let mask: Character?
    /// The range of UTF-8 bytes in `text` that is hidden while the marked text is displayed in its place.
    private let replaced: Range<Int>
    /// The lengths of the text before the marked text and of the marked text itself, in characters if the
    /// text is masked, else in bytes.
    private let before: Int
    private let length: Int

    init(
        _ text: String,
        mask: Character?,
        selection textSelection: TextSelection,
        marked markedText: MarkedText?
    ) {
        let replaced = markedText == nil ? 0..<0 : textSelection.bytes
        let marked = markedText?.text ?? ""
        let prefix = text[..<text.index(at: replaced.lowerBound)]
        let suffix = text[text.index(at: replaced.upperBound)...]
        self.text = text
        self.mask = mask
        self.replaced = replaced
        if let mask {
            before = prefix.count
            length = marked.count
            string = String(repeating: mask, count: before + length + suffix.count)
        } else {
            before = prefix.utf8.count
            length = marked.utf8.count
            string = markedText == nil ? text : prefix + marked + suffix
        }
        guard let markedText else {
            caret = position(of: textSelection.head)
            let range = textSelection.range
            selection = position(of: range.lowerBound)..<position(of: range.upperBound)
            return
        }
        let start = displayed(before)
        self.marked = start..<displayed(before + length)
        let lower = markedPosition(markedText.selection.lowerBound, in: marked)
        let upper = max(lower, markedPosition(markedText.selection.upperBound, in: marked))
        markedSelection = lower..<upper
        caret = upper
        selection = start..<start
    }

    /// Returns the displayed position of a position in the text.
    package func position(of position: TextPosition) -> DisplayedPosition {
        let offset = min(max(position.offset, 0), text.utf8.count)
        if offset <= replaced.lowerBound { return displayed(units(in: 0..<offset)) }
        if offset < replaced.upperBound { return displayed(before) }
        return displayed(before + length + units(in: replaced.upperBound..<offset))
    }

    /// Returns the position in the text for a displayed position; inside marked text, the start of the text that it
    /// replaces.
    package func position(for position: DisplayedPosition) -> TextPosition {
        let displayed = string.offset(of: string.boundary(atOrBefore: position.offset))
        let units = mask.map { displayed / max($0.utf8.count, 1) } ?? displayed
        if units <= before { return TextPosition(offset(units, from: 0)) }
        if units <= before + length { return TextPosition(replaced.lowerBound) }
        return TextPosition(offset(units - before - length, from: replaced.upperBound))
    }

    private func units(in bytes: Range<Int>) -> Int {
        mask == nil
            ? bytes.count : text[text.index(at: bytes.lowerBound)..<text.index(at: bytes.upperBound)].count
    }

    private func offset(_ units: Int, from offset: Int) -> Int {
        guard mask != nil else { return offset + units }
        let start = text.index(at: offset)
        return text.offset(of: text.index(start, offsetBy: units, limitedBy: text.endIndex) ?? text.endIndex)
    }

    private func displayed(_ units: Int) -> DisplayedPosition {
        if let mask { return DisplayedPosition(units * mask.utf8.count) }
        // Marked text may become one character with its neighbors.
        return DisplayedPosition(string.offset(of: string.boundary(atOrAfter: units)))
    }

    private func markedPosition(_ offset: Int, in marked: String) -> DisplayedPosition {
        displayed(before + (mask == nil ? offset : marked[..<marked.index(at: offset)].count))
    }
}
