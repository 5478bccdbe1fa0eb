/// A line in pieces, of which the least important are dropped if the terminal is too narrow.
struct LiveText: Hashable {
    struct Piece: Hashable {
        var text: String
        /// The rank of the piece: the lowest ranks are dropped first, and `.max` is never dropped.
        var importance: Int

        init(_ text: String, _ importance: Int = .max) { (self.text, self.importance) = (text, importance) }
    }

    /// The groups of pieces, which are separated by dots.
    var groups: [[Piece]]

    init(_ groups: [[Piece]]) { self.groups = groups }

    init(_ text: String) { groups = [[Piece(text)]] }

    /// The whole line, regardless of its length.
    var line: String {
        groups.filter { !$0.isEmpty }.map { $0.map(\.text).joined(separator: " ") }.joined(separator: " · ")
    }

    /// Fits the text into one line of `columns` columns, without control characters.
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
