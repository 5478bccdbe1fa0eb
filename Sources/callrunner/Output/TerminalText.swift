internal import Basics

/// A text from any source, prepared for a terminal.
struct TerminalText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The text on one line, without characters that move the cursor or change the writing direction.
    var printable: String {
        String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }).printable(limit: 4096)
    }

    /// The printable text, with long runs of blanks shortened.
    ///
    /// Without this, a sender could use blanks to move a part of the text to the next line of other users' terminals,
    /// where it looks like a separate line.
    var narrow: String {
        var (kept, blanks) = (String.UnicodeScalarView(), 0)
        for scalar in printable.unicodeScalars {
            blanks = Self.isBlank(scalar) ? blanks + 1 : 0
            if blanks <= Self.longestBlank { kept.append(scalar) }
        }
        return String(kept)
    }

    private static let longestBlank = 4

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        // U+2800 is the Braille pattern without dots.
        scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
            || scalar == "\u{2800}"
    }

    /// The width of the text in terminal columns.
    var columns: Int { text.reduce(0) { $0 + Self.columns(of: $1) } }

    /// Cuts the text to at most `columns` columns, with an ellipsis if something is left out.
    func cut(to columns: Int) -> String {
        guard self.columns > columns else { return text }
        guard columns > 0 else { return "" }
        var left = columns - 1
        let kept = text.prefix { character in
            left -= Self.columns(of: character)
            return left >= 0
        }
        return kept + "…"
    }

    /// Estimates the columns of a character: 2 for East Asian wide characters and emoji (UAX #11), else 1.
    private static func columns(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        let isEmoji = character.unicodeScalars.contains {
            $0.properties.isEmojiPresentation || $0.value == 0xFE0F
        }
        if isEmoji { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
