/// A line of text in pieces; the least important pieces are dropped if the terminal is too narrow.
struct LiveText: Hashable {
    struct Piece: Hashable {
        var text: String
        /// The rank of the piece: the lowest ranks are dropped first, and `.max` is never dropped.
        var importance: Int

        init(_ text: String, _ importance: Int = .max) { (self.text, self.importance) = (text, importance) }
    }

    /// The groups of pieces; in the line, “·” separates one group from the next.
    var groups: [[Piece]]

    init(_ groups: [[Piece]]) { self.groups = groups }

    init(_ text: String) { groups = [[Piece(text)]] }

    /// The line with all pieces, however long it is.
    var line: String {
        groups.filter { !$0.isEmpty }.map { $0.map(\.text).joined(separator: " ") }.joined(separator: " · ")
    }

    /// Returns the text as one line of at most `columns` columns, without control characters.
    func fitted(to columns: Int) -> String {
        var left = self
        while TerminalText(left.line).columns > columns {
            let minimum = left.groups.joined().map(\.importance).min() ?? .max
            guard minimum < .max else { break }
            left.groups = left.groups.map { $0.filter { $0.importance > minimum } }
        }
        return TerminalText(TerminalText(left.line).printable).cut(to: columns)
    }
}
