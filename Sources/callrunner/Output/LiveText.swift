/// A line in pieces, the least important of which give way where the terminal is narrow.
struct LiveText: Hashable {
    struct Piece: Hashable {
        var text: String
        /// Those with less go first; what is `.max` stays.
        var importance: Int

        init(_ text: String, _ importance: Int = .max) { (self.text, self.importance) = (text, importance) }
    }

    /// Pieces that belong together; groups have a dot between them.
    var groups: [[Piece]]

    init(_ groups: [[Piece]]) { self.groups = groups }

    init(_ text: String) { groups = [[Piece(text)]] }

    /// Everything, however long.
    var line: String {
        groups.filter { !$0.isEmpty }.map { $0.map(\.text).joined(separator: " ") }.joined(separator: " · ")
    }

    /// As much as `columns` hold, on one line that does nothing to the terminal.
    func fitted(to columns: Int) -> String {
        var left = self
        while TerminalText(left.line).columns > columns {
            let least = left.groups.joined().map(\.importance).min() ?? .max
            guard least < .max else { break }
            left.groups = left.groups.map { $0.filter { $0.importance > least } }
        }
        return TerminalText(TerminalText(left.line).printable).cut(to: columns)
    }
}
