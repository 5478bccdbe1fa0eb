/// A splitter of bytes into lines of limited length.
package struct LineSplitter {
    package enum Line: Hashable {
        /// A line without its ending; blank lines are skipped.
        case text([UInt8])
        /// A line that was dropped because it exceeded the limit.
        case tooLong
    }

    /// The maximum length of a line in bytes.
    package static let maximumBytes = 65_536

    private var rest: [UInt8] = []
    private var isSkipping = false

    package init() {}

    /// Adds bytes and returns the lines that they complete.
    package mutating func append(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        for piece in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            append(piece, &lines)
            end(&lines)
        }
        append(bytes[((bytes.lastIndex(of: 10) ?? -1) + 1)...], &lines)
        return lines
    }

    /// Returns the text after the last line ending as the last line.
    package mutating func finish() -> [Line] {
        var lines: [Line] = []
        end(&lines)
        return lines
    }

    private mutating func append(_ piece: ArraySlice<UInt8>, _ lines: inout [Line]) {
        guard !isSkipping else { return }
        rest += piece
        guard rest.count > Self.maximumBytes else { return }
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
