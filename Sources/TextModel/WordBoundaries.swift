/// The classes of characters from which word boundaries are determined.
enum CharacterClass {
    case lineBreak, space, letter, ideograph, hiragana, katakana, emoji, punctuation

    init(_ character: Character) {
        guard let scalar = character.unicodeScalars.first else {
            self = .space
            return
        }
        if character.isNewline {
            self = .lineBreak
            return
        }
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A: self = .letter
        case 0x3041...0x309F: self = .hiragana
        case 0x30A0...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: self = .katakana
        case 0x1F1E6...0x1F1FF: self = .emoji
        default: self.init(scalar, of: character)
        }
    }

    private init(_ scalar: Unicode.Scalar, of character: Character) {
        let properties = scalar.properties
        if properties.isWhitespace {
            self = .space
        } else if properties.isIdeographic {
            self = .ideograph
        } else if properties.isEmojiPresentation
            || properties.isEmoji && character.unicodeScalars.contains("\u{FE0F}")
        {
            self = .emoji
        } else {
            switch properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber,
                .connectorPunctuation:
                self = .letter
            default: self = .punctuation
            }
        }
    }

    /// Whether characters of this class are part of words.
    var isWord: Bool {
        switch self {
        case .letter, .ideograph, .hiragana, .katakana, .emoji: true
        case .lineBreak, .space, .punctuation: false
        }
    }

    /// Returns whether `character` joins the characters on both sides into one word, like the apostrophe in "it's".
    ///
    /// Only the apostrophe and the common characters of the classes MidNumLet, MidLetter and MidNum (Unicode Standard
    /// Annex #29), except the colon, do so.
    static func isJoined(_ left: Character, by character: Character, _ right: Character) -> Bool {
        guard CharacterClass(left) == .letter, CharacterClass(right) == .letter else { return false }
        return switch character {
        case "'", "’", ".", "·", "․", "‧", "״": true
        case ",", ";": left.isNumber && right.isNumber
        default: false
        }
    }
}

/// Word boundaries.
///
/// A word is a run of letters and digits, of Han characters, of Hiragana or of Katakana, or a single emoji. Between
/// words are runs of spaces and runs of punctuation. Words inside a run of Han or Thai characters are not found,
/// because that would require a dictionary.
extension String {
    /// Checks whether a word or a run between words begins or ends at `index`.
    private func isWordBoundary(_ index: Index) -> Bool {
        guard index > startIndex, index < endIndex else { return true }
        let before = self.index(before: index)
        let left = self[before]
        let right = self[index]
        let leftClass = CharacterClass(left)
        let rightClass = CharacterClass(right)
        if leftClass == rightClass { return leftClass == .emoji || leftClass == .lineBreak }
        if leftClass == .letter, rightClass == .punctuation {
            let next = self.index(after: index)
            return next == endIndex || !CharacterClass.isJoined(left, by: right, self[next])
        }
        if leftClass == .punctuation, rightClass == .letter {
            guard before > startIndex else { return true }
            return !CharacterClass.isJoined(self[self.index(before: before)], by: left, right)
        }
        return true
    }

    /// Returns the end of the word that contains `index` or follows it.
    func wordEnd(after index: Index) -> Index {
        var index = index
        while index < endIndex, !CharacterClass(self[index]).isWord { index = self.index(after: index) }
        while index < endIndex {
            index = self.index(after: index)
            if isWordBoundary(index) { break }
        }
        return index
    }

    /// Returns the start of the last word that begins before `index`; the start of the text if there is none.
    func wordStart(before index: Index) -> Index {
        var index = index
        while index > startIndex, !CharacterClass(self[self.index(before: index)]).isWord {
            index = self.index(before: index)
        }
        while index > startIndex {
            index = self.index(before: index)
            if isWordBoundary(index) { break }
        }
        return index
    }

    /// Returns the word, or the run of spaces or punctuation, that contains the character at `index`.
    ///
    /// At the end of a line, the result is the word or run that ends there; in an empty line, it is empty.
    func segment(at index: Index) -> Range<Index> {
        var first = index
        if index == endIndex || CharacterClass(self[index]) == .lineBreak {
            guard index > startIndex else { return index..<index }
            first = self.index(before: index)
            if CharacterClass(self[first]) == .lineBreak { return index..<index }
        }
        var lower = first
        while !isWordBoundary(lower) { lower = self.index(before: lower) }
        var upper = self.index(after: first)
        while !isWordBoundary(upper) { upper = self.index(after: upper) }
        return lower..<upper
    }

    /// Returns the line that contains `index`, without its line break.
    func line(containing index: Index) -> Range<Index> {
        let bytes = utf8
        let newline = UInt8(ascii: "\n")
        let lower = bytes[..<index].lastIndex(of: newline).map { bytes.index(after: $0) } ?? startIndex
        return lower..<(bytes[index...].firstIndex(of: newline) ?? endIndex)
    }
}
