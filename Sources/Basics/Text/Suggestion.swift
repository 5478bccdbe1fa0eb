/// A search for the known name that a misspelled name stands for.
package enum Suggestion {
    /// Returns the candidate that is most similar to a text, or nil if none is similar.
    ///
    /// - Parameters:
    ///   - text: the text as typed.
    ///   - candidates: the known names; the first of equally similar names is returned.
    /// - Returns: a candidate that differs from `text` in one character or at most a third of its characters;
    ///   else one that begins with `text`, if `text` has at least two characters.
    package static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        let written = text.lowercased()
        guard !written.isEmpty, written.count <= 64 else { return nil }
        let rated = candidates.map { (name: $0, distance: distance(written, $0.lowercased())) }
        guard let best = rated.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= max(1, best.name.count / 3) { return best.name }
        return rated.first { written.count >= 2 && $0.name.lowercased().hasPrefix(written) }?.name
    }

    /// Returns a question about the most similar candidate, or an empty text; it is appended to a sentence.
    ///
    /// - Returns: text such as `; did you mean “lossy”?`.
    package static func question(_ text: String, among candidates: some Sequence<String>) -> String {
        nearest(to: text, among: candidates).map { "; did you mean “\($0)”?" } ?? ""
    }

    /// Returns the number of character edits that turn one text into another.
    ///
    /// - Returns: the optimal string alignment distance, which counts insertions, removals, replacements and
    ///   swaps of neighbors.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (rows, columns) = (Array(first), Array(second))
        guard !rows.isEmpty, !columns.isEmpty else { return max(rows.count, columns.count) }
        var before: [Int] = []
        var last = Array(0...columns.count)
        for (row, letter) in rows.enumerated() {
            var line = [row + 1]
            for (column, other) in columns.enumerated() {
                var cost = min(
                    last[column] + (letter == other ? 0 : 1),
                    last[column + 1] + 1,
                    line[column] + 1
                )
                if row > 0, column > 0, letter == columns[column - 1], rows[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                line.append(cost)
            }
            (before, last) = (last, line)
        }
        return last[columns.count]
    }
}
