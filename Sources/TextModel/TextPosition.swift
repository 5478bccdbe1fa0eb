/// A caret position in the text of a `TextEditing`.
///
/// `TextEditing` moves each position that it is given into its text, and there to the start of a character.
package struct TextPosition: Hashable, Comparable, Sendable {
    /// The number of UTF-8 bytes before the position.
    package let offset: Int

    /// A position after `offset` UTF-8 bytes.
    package init(_ offset: Int) { self.offset = offset }

    package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
}

/// A caret position in the displayed text, which differs from the field's text if it is masked or contains
/// marked text.
///
/// Layouts know only displayed text; `DisplayedText` converts between both kinds of positions.
package struct DisplayedPosition: Hashable, Comparable, Sendable {
    /// The number of UTF-8 bytes of displayed text before the position.
    package let offset: Int

    /// A position after `offset` UTF-8 bytes of displayed text.
    package init(_ offset: Int) { self.offset = offset }

    package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
}

/// A selection, or a caret if both ends are equal.
package struct TextSelection: Hashable, Sendable {
    /// The end that stays when the selection is extended.
    package let anchor: TextPosition

    /// The end that moves, where the caret is drawn.
    package let head: TextPosition

    /// A selection between two positions, in either order.
    package init(anchor: TextPosition, head: TextPosition) {
        self.anchor = anchor
        self.head = head
    }

    /// A caret.
    package init(caret: TextPosition) { self.init(anchor: caret, head: caret) }

    /// Whether nothing is selected.
    package var isEmpty: Bool { anchor == head }

    /// The selected text.
    package var range: Range<TextPosition> { min(anchor, head)..<max(anchor, head) }

    /// The selected UTF-8 bytes.
    var bytes: Range<Int> { range.lowerBound.offset..<range.upperBound.offset }
}
