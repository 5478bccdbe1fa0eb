internal import Basics

@_spi(_Unicode) import Swift

/// A participant's name: trimmed, in Unicode normalization form C, 1–64 characters, at most 256 bytes of
/// UTF-8.
///
/// It contains no control, bidi or other invisible characters, so that different names do not look alike
/// because of them. Joiners (ZWJ, ZWNJ) occur only between visible characters, and variation selectors only
/// after emoji.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64
    /// The maximum length in UTF-8 bytes; a single character may have any number of bytes.
    package static let maximumBytes = 256

    package let value: String
    /// The name without invisible characters such as joiners.
    package let visiblePart: String

    /// The maximum length in bytes of a text with white space around the name; longer ones are not read.
    private static let maximumText = 4 * maximumBytes

    /// Creates a name from a text, which is trimmed and normalized.
    ///
    /// - Throws: `IdentityError.username` for an empty, too long or unprintable name.
    package init(_ text: some StringProtocol) throws(IdentityError) {
        guard text.utf8.count <= Self.maximumText else { throw .username(text.printableBeginning) }
        let trimmed = Self.trimmed(String(text).unicodeScalars)
        // The only implementation of normalization in the standard library.
        let name = String(String.UnicodeScalarView(trimmed._nfc))
        guard max(trimmed.utf8.count, name.utf8.count) <= Self.maximumBytes,
            (1...Self.maximumLength).contains(name.count), Self.isPlain(Array(name.unicodeScalars))
        else { throw .username(trimmed.printable(limit: 80)) }
        value = name
        visiblePart = Self.visiblePart(of: name)
    }

    package var description: String { value }

    /// Removes invisible characters, and white space around the text.
    package static func visiblePart(of text: String) -> String {
        let isASCII = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if isASCII { return text }
        let visible = String.UnicodeScalarView(text.unicodeScalars.lazy.filter(isVisible))
        return trimmed(visible)
    }

    private static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
        let head = scalars.drop(while: isBlank)
        let end = head.lastIndex { !isBlank($0) }.map { head.index(after: $0) } ?? head.startIndex
        return String(head[..<end])
    }

    /// Whether a character is white space allowed around a name; line and paragraph separators are not.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace && scalar != "\u{2028}" && scalar != "\u{2029}"
    }

    private static func isPlain(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.indices.allSatisfy { index in
            let before = index > 0 ? scalars[index - 1] : nil
            let after = index + 1 < scalars.count ? scalars[index + 1] : nil
            switch scalars[index] {
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
