/// The excerpt of a message that shows the words found by a search.
struct FoundText: Hashable {
    struct Part: Hashable {
        var text: String
        var isFound: Bool
    }

    /// The number of words shown before the first found word if the beginning is omitted.
    private static let wordsBefore = 3

    /// The parts in order, without line breaks.
    let parts: [Part]

    /// Marks the words of a text that begin with a word of the query.
    init(_ text: String, query: String) {
        let wanted = Self.words(query.lowercased()).map { query.lowercased()[$0] }
        var pieces: [Part] = []
        var end = text.startIndex
        for range in Self.words(text) {
            if end < range.lowerBound {
                pieces.append(Part(text: Self.flat(text[end..<range.lowerBound]), isFound: false))
            }
            let word = text[range].lowercased()
            pieces.append(Part(text: String(text[range]), isFound: wanted.contains { word.hasPrefix($0) }))
            end = range.upperBound
        }
        if end < text.endIndex { pieces.append(Part(text: Self.flat(text[end...]), isFound: false)) }
        // Each word and the text between words are separate pieces.
        let first = pieces.firstIndex(where: \.isFound) ?? 0
        let skipped = max(0, first - 2 * Self.wordsBefore)
        if skipped > 1 { pieces.replaceSubrange(..<skipped, with: [Part(text: "…", isFound: false)]) }
        parts = pieces.reduce(into: []) { parts, piece in
            if let last = parts.last, last.isFound == piece.isFound {
                parts[parts.count - 1].text += piece.text
            } else {
                parts.append(piece)
            }
        }
    }

    /// Whether the text contains right-to-left letters, so that its parts cannot be drawn one after the other.
    var isRightToLeft: Bool {
        // Hebrew, Arabic and their forms of presentation.
        let ranges: [ClosedRange<UInt32>] = [0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC]
        return parts.contains { part in
            part.text.unicodeScalars.contains { scalar in ranges.contains { $0.contains(scalar.value) } }
        }
    }

    private static func flat(_ text: Substring) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    private static func words(_ text: String) -> [Range<String.Index>] {
        var words: [Range<String.Index>] = []
        var start: String.Index?
        for index in text.indices {
            if text[index].isLetter || text[index].isNumber {
                start = start ?? index
            } else if let begin = start {
                words.append(begin..<index)
                start = nil
            }
        }
        if let begin = start { words.append(begin..<text.endIndex) }
        return words
    }
}
