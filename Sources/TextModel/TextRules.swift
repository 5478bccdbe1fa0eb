/// The rules for all text of a field, regardless of its source.
package struct TextRules: Hashable, Sendable {
    /// Whether the text may contain line breaks.
    package let isMultiline: Bool

    /// The character that is displayed for each character of a password; nil to display the text itself.
    package let mask: Character?

    /// The maximum length in UTF-8 bytes.
    ///
    /// A pasted text may have any size, so there is always a maximum.
    package let maximumBytes: Int

    /// The maximum length in user-perceived characters; nil for no limit.
    package let maximumCharacters: Int?

    /// Creates the rules of a field.
    ///
    /// Negative maximums count as 0.
    package init(
        isMultiline: Bool = false,
        mask: Character? = nil,
        maximumBytes: Int = 1 << 20,
        maximumCharacters: Int? = nil
    ) {
        self.isMultiline = isMultiline
        self.mask = mask
        self.maximumBytes = max(maximumBytes, 0)
        self.maximumCharacters = maximumCharacters.map { max($0, 0) }
    }

    /// Returns `text` in the form that is allowed in a field with these rules.
    ///
    /// All Unicode line breaks become `\n`, or a space in single-line fields; CR LF counts as one line break. Tabs
    /// become spaces in single-line fields. All other control characters are removed.
    package func normalized(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            defer { isAfterReturn = scalar == "\r" }
            switch scalar {
            case "\n" where isAfterReturn: break
            case "\n", "\u{B}", "\u{C}", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                result.append(isMultiline ? "\n" : " ")
            case "\t": result.append(isMultiline ? "\t" : " ")
            default:
                if scalar.properties.generalCategory != .control { result.append(scalar) }
            }
        }
        return String(result)
    }

    /// Returns the longest prefix of `insertion`, cut between characters, that fits between `prefix` and `suffix`.
    func fitting(_ insertion: String, between prefix: Substring, and suffix: Substring) -> String {
        var fitting = Substring(insertion)
        let bytes = max(maximumBytes - prefix.utf8.count - suffix.utf8.count, 0)
        if fitting.utf8.count > bytes { fitting = fitting[..<insertion.boundary(atOrBefore: bytes)] }
        guard let maximumCharacters else { return String(fitting) }
        // The first and the last character may become one with their neighbors, so two more may fit.
        let characters = max(maximumCharacters - prefix.count - suffix.count, 0)
        fitting = fitting.prefix(characters + 2)
        while !fitting.isEmpty, (prefix + fitting + suffix).count > maximumCharacters { fitting.removeLast() }
        return String(fitting)
    }
}

extension String {
    /// Returns the index after `offset` UTF-8 bytes, at most the end index.
    func index(at offset: Int) -> Index {
        utf8.index(startIndex, offsetBy: Swift.min(Swift.max(offset, 0), utf8.count))
    }

    /// Returns the number of UTF-8 bytes before `index`.
    func offset(of index: Index) -> Int { utf8.distance(from: startIndex, to: index) }

    /// Returns the last character boundary at or before `offset`.
    func boundary(atOrBefore offset: Int) -> Index {
        let index = index(at: offset)
        // `index(after:)` first rounds an index inside a character down to the start of that character.
        return index == endIndex ? index : self.index(before: self.index(after: index))
    }

    /// Returns the first character boundary at or after `offset`.
    func boundary(atOrAfter offset: Int) -> Index {
        let lower = boundary(atOrBefore: offset)
        return lower < index(at: offset) ? self.index(after: lower) : lower
    }
}
