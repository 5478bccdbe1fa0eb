import TextModel

/// A layout in which each character is 1 wide and each line 1 high, wrapped after `columns` characters.
struct MonospacedLayout: TextLayout {
    /// The caret positions of each displayed line, in UTF-8 bytes.
    private var lines: [[Int]] = [[]]
    private let isRightToLeft: Bool
    private let width: Int

    init(_ displayed: DisplayedText, columns: Int = .max, isRightToLeft: Bool = false) {
        self.isRightToLeft = isRightToLeft
        var offset = 0
        for character in displayed.string {
            if lines[lines.count - 1].count == columns { lines.append([]) }
            lines[lines.count - 1].append(offset)
            offset += character.utf8.count
            if character == "\n" { lines.append([]) }
        }
        if lines[lines.count - 1].count == columns { lines.append([]) }
        lines[lines.count - 1].append(offset)
        width = lines.map(\.count).max() ?? 0
    }

    private func place(_ position: DisplayedPosition) -> (row: Int, column: Int) {
        let row = lines.lastIndex { ($0.first ?? 0) <= position.offset } ?? 0
        return (row, lines[row].lastIndex { $0 <= position.offset } ?? 0)
    }

    private func position(_ row: Int, _ column: Int) -> DisplayedPosition {
        DisplayedPosition(lines[row][min(max(column, 0), lines[row].count - 1)])
    }

    private func column(_ x: Double) -> Double { isRightToLeft ? Double(width) - x : x }

    func caret(at position: DisplayedPosition) -> CaretLine {
        let place = place(position)
        return CaretLine(top: TextPoint(x: column(Double(place.column)), y: Double(place.row)), height: 1)
    }

    func hit(at point: TextPoint) -> TextHit {
        let row = min(max(Int(point.y.rounded(.down)), 0), lines.count - 1)
        let column = column(point.x)
        return TextHit(
            caret: position(row, Int(column.rounded())),
            character: position(row, Int(column.rounded(.down)))
        )
    }

    func line(containing position: DisplayedPosition) -> ClosedRange<DisplayedPosition> {
        let row = place(position).row
        return self.position(row, 0)...self.position(row, .max)
    }

    func position(lines count: Int, below position: DisplayedPosition, x: Double) -> DisplayedPosition? {
        let row = place(position).row + count
        guard lines.indices.contains(row) else { return nil }
        return self.position(row, Int(column(x).rounded()))
    }

    func position(beside position: DisplayedPosition, _ direction: VisualDirection) -> DisplayedPosition? {
        let all = lines.joined().map { $0 }
        guard let index = all.lastIndex(where: { $0 <= position.offset }) else { return nil }
        let next = (direction == .right) != isRightToLeft ? index + 1 : index - 1
        return all.indices.contains(next) ? DisplayedPosition(all[next]) : nil
    }
}
