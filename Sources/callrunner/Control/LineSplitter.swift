/// Lines out of bytes as they come, each of a bounded length.
struct LineSplitter {
    enum Line: Hashable {
        /// Without its end; never empty.
        case text([UInt8])
        /// It had more bytes than a line may have, and is left out.
        case tooLong
    }

    /// What a line may have, in bytes.
    static let mostBytes = 65_536

    private var rest: [UInt8] = []
    private var isSkipping = false

    /// The lines that end in `bytes`.
    mutating func take(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        for piece in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            append(piece, &lines)
            end(&lines)
        }
        append(bytes[((bytes.lastIndex(of: 10) ?? -1) + 1)...], &lines)
        return lines
    }

    /// What came after the last end of a line.
    mutating func finish() -> [Line] {
        var lines: [Line] = []
        end(&lines)
        return lines
    }

    private mutating func append(_ piece: ArraySlice<UInt8>, _ lines: inout [Line]) {
        guard !isSkipping else { return }
        rest += piece
        guard rest.count > Self.mostBytes else { return }
        rest = []
        isSkipping = true
        lines.append(.tooLong)
    }

    private mutating func end(_ lines: inout [Line]) {
        defer { (rest, isSkipping) = ([], false) }
        if rest.last == 13 { rest.removeLast() }
        guard !isSkipping, rest.contains(where: { $0 != 32 && $0 != 9 }) else { return }
        lines.append(.text(rest))
    }
}
