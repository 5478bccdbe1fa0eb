internal import CallCore

/// A text of any origin, made fit for a terminal.
struct TerminalText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The text on one line, in which nothing moves the cursor or turns the direction of writing.
    var printable: String {
        String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }).printable(limit: 4096)
    }

    /// How wide the text is on a terminal.
    var columns: Int { text.reduce(0) { $0 + Self.columns(of: $1) } }

    /// As much of the text as `columns` hold, with an ellipsis where something is left out.
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

    /// Two for East Asian wide characters and pictures (UAX #11), nearly enough; else one.
    private static func columns(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        let isPicture = character.unicodeScalars.contains {
            $0.properties.isEmojiPresentation || $0.value == 0xFE0F
        }
        if isPicture { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
