/// Guesses the known name that a misspelled one stands for.
package enum Suggestion {
    /// Returns the candidate that differs least from a text, or nil if all differ much.
    ///
    /// - Parameters:
    ///   - text: what was written.
    ///   - candidates: the known names; the first of equally near ones counts.
    /// - Returns: a candidate that begins with `text`, or that at most a third of its letters separate from it.
    package static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        let written = text.lowercased()
        guard !written.isEmpty, written.count <= 64 else { return nil }
        let rated = candidates.map { (name: $0, distance: distance(written, $0.lowercased())) }
        guard let best = rated.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= max(1, best.name.count / 3) { return best.name }
        return rated.first { written.count >= 2 && $0.name.lowercased().hasPrefix(written) }?.name
    }

    /// Returns a question about the nearest candidate, to end a sentence with; empty if none is near.
    ///
    /// - Returns: text such as `; did you mean “lossy”?`.
    package static func question(_ text: String, among candidates: some Sequence<String>) -> String {
        nearest(to: text, among: candidates).map { "; did you mean “\($0)”?" } ?? ""
    }

    /// Returns the number of letters to insert, remove, replace or swap with their neighbor to make one text of another.
    ///
    /// - Returns: the optimal string alignment distance.
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
