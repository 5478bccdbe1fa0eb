@_spi(_Unicode) import Swift

/// A text that a user enters and other people see, such as a name: trimmed, in Unicode normalization form C, and of
/// limited length.
///
/// It contains no control, bidi or other invisible characters, so that different texts do not look alike because of
/// them. Joiners (ZWJ, ZWNJ) occur only between visible characters, and variation selectors only after emoji.
package struct VisibleText: Hashable, Sendable {
    package let value: String

    /// Creates a text from user input, which is trimmed and normalized; nil if it is empty, too long or unprintable.
    ///
    /// - Parameters:
    ///   - text: The entered text.
    ///   - maximum: The maximum number of characters, at least 1.
    ///   - bytesPerCharacter: The maximum number of bytes of UTF-8 per character on average; a single character may
    ///     have any number of them.
    ///   - hasLines: Whether the text may have line feeds.
    package init?(
        _ text: some StringProtocol,
        maximum: Int,
        bytesPerCharacter: Int = 4,
        hasLines: Bool = false
    ) {
        let maximumBytes = bytesPerCharacter * maximum
        // There may be white space around the text.
        guard maximum > 0, text.utf8.count <= 4 * maximumBytes else { return nil }
        let trimmed = Self.trimmed(String(text).unicodeScalars)
        // The only implementation of normalization in the standard library.
        let normal = String(String.UnicodeScalarView(trimmed._nfc))
        guard max(trimmed.utf8.count, normal.utf8.count) <= maximumBytes,
            (1...maximum).contains(normal.count),
            Self.isPlain(Array(normal.unicodeScalars), hasLines: hasLines)
        else { return nil }
        value = normal
    }

    /// Removes invisible characters, and white space around the text; the result is stream-safe.
    package static func visiblePart(of text: String) -> String {
        let isASCII = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if isASCII { return text }
        let visible = String.UnicodeScalarView(text.unicodeScalars.lazy.filter(isVisible))
        // The joiners between combining marks are invisible as well.
        return trimmed(visible).streamSafe
    }

    /// Removes the white space around a text.
    package static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
        let head = scalars.drop(while: isBlank)
        let end = head.lastIndex { !isBlank($0) }.map { head.index(after: $0) } ?? head.startIndex
        return String(head[..<end])
    }

    /// Whether a character is white space allowed around a text; line and paragraph separators are not.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace && scalar != "\u{2028}" && scalar != "\u{2029}"
    }

    private static func isPlain(_ scalars: [Unicode.Scalar], hasLines: Bool) -> Bool {
        scalars.indices.allSatisfy { index in
            let before = index > 0 ? scalars[index - 1] : nil
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            switch scalars[index] {
            case "\n" where hasLines: return true
            case "\u{200C}", "\u{200D}":
                return (before.map { isVisible($0) || isVariationSelector($0) } ?? false)
                    && (after.map(isVisible) ?? false)
                    && ![before, after].contains { $0?.properties.isWhitespace ?? false }
            case let scalar where isVariationSelector(scalar):
                guard let before, before.properties.isEmoji else { return false }
                // Digits are emoji too, but a selector shows on them only in a keycap sequence.
                return !before.isASCII || after == "\u{20E3}"
            case let scalar: return isVisible(scalar)
            }
        }
    }

    /// Whether a character selects text or emoji presentation.
    private static func isVariationSelector(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FE0E}" || scalar == "\u{FE0F}"
    }

    /// Whether a character is visible or takes up space.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default:
            // U+2800 is the Braille pattern without dots.
            !scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isNoncharacterCodePoint
                && scalar != "\u{2800}"
        }
    }
}
