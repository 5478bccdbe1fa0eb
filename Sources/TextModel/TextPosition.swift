/// A caret position in the text of a `TextEditing`.
///
/// `TextEditing` clamps each position that is passed to it to its text, and moves it to the start of a character.
package struct TextPosition: Hashable, Comparable, Sendable {
    /// The number of UTF-8 bytes before the position.
    package let offset: Int

    /// Creates the position after `offset` UTF-8 bytes.
    package init(_ offset: Int) { self.offset = offset }

    package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
}

/// A caret position in the displayed text, which differs from the field's text if it is masked or contains marked text.
///
/// Layouts use only displayed text; `DisplayedText` converts between both kinds of positions.
package struct DisplayedPosition: Hashable, Comparable, Sendable {
    /// The number of UTF-8 bytes of displayed text before the position.
    package let offset: Int

    /// Creates the position after `offset` UTF-8 bytes of displayed text.
    package init(_ offset: Int) { self.offset = offset }

    package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
}

/// A selection, or a caret if both ends are equal.
package struct TextSelection: Hashable, Sendable {
    /// The end that does not move when the selection is extended.
    package let anchor: TextPosition

    /// The end that moves when the selection is extended; the caret is drawn there.
    package let head: TextPosition

    /// Creates a selection between two positions, in either order.
    package init(anchor: TextPosition, head: TextPosition) {
        self.anchor = anchor
        self.head = head
    }

    /// Creates a caret.
    package init(caret: TextPosition) { self.init(anchor: caret, head: caret) }

    /// Whether nothing is selected.
    package var isEmpty: Bool { anchor == head }

    /// The range of the selected text.
    package var range: Range<TextPosition> { min(anchor, head)..<max(anchor, head) }

    /// The range of the selected text in UTF-8 bytes.
    var bytes: Range<Int> { range.lowerBound.offset..<range.upperBound.offset }
}
