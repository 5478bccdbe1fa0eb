@_spi(_Unicode) import Swift

/// A participant's name: trimmed, in Unicode's normalization form C, 1–64 characters, 256 bytes of UTF-8 at most.
///
/// It has no control, bidi or other invisible characters, so that names that differ do not look alike by those. Joiners
/// (ZWJ, ZWNJ) stand between visible characters only, and variation selectors behind emoji only.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64
    /// One character may be of any number of bytes.
    package static let maximumBytes = 256

    package let value: String
    /// The name as a reader sees it who leaves out invisible characters: without joiners.
    package let visiblePart: String

    /// With white space around the name; nothing longer is looked at, whatever it is made of.
    private static let maximumText = 4 * maximumBytes

    /// - Throws: `IdentityError.username` for an empty, too long or unprintable name.
    package init(_ text: some StringProtocol) throws(IdentityError) {
        guard text.utf8.count <= Self.maximumText else { throw .username(text.printableBeginning) }
        let trimmed = Self.trimmed(String(text).unicodeScalars)
        // The only implementation of normalization that the standard library has.
        let name = String(String.UnicodeScalarView(trimmed._nfc))
        guard max(trimmed.utf8.count, name.utf8.count) <= Self.maximumBytes,
            (1...Self.maximumLength).contains(name.count), Self.isPlain(Array(name.unicodeScalars))
        else { throw .username(trimmed.printable(limit: 80)) }
        value = name
        visiblePart = Self.visiblePart(of: name)
    }

    package var description: String { value }

    /// A text without the characters that cannot be seen, and the white space around it.
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

    /// White space that may stand around a name; line and paragraph separators may stand nowhere.
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
                // A digit is one too, but looks the same with a selector unless it is put on a key.
                return !before.isASCII || after == "\u{20E3}"
            case let scalar: return isVisible(scalar)
            }
        }
    }

    /// Between text and picture, of emoji.
    private static func isVariationSelector(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FE0E}" || scalar == "\u{FE0F}"
    }

    /// Whether a character shows anything, be it as white space.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
        default:
            // U+2800 is the pattern of Braille without a dot.
            !scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isNoncharacterCodePoint
                && scalar != "\u{2800}"
        }
    }
}
