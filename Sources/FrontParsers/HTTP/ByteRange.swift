/// The bytes of a file that a request asks for.
package enum ByteRange: Hashable, Sendable {
    case whole
    case part(ClosedRange<Int>)
    /// No requested byte exists.
    case unsatisfiable

    /// Reads a `Range` field (RFC 9110 §14.2) for a file of `length` bytes.
    ///
    /// A field that is missing or malformed, in a unit other than bytes, or with several ranges stands for
    /// the whole file, as the RFC permits.
    package init(_ field: String?, length: Int) {
        guard let field, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let ends = field[field.index(after: equals)...].split(
            separator: "-",
            omittingEmptySubsequences: false
        )
        .map(\.withoutOptionalSpace)
        guard ends.count == 2, let part = Self.part(ends[0], ends[1], length) else {
            self = .whole
            return
        }
        self = part
    }

    private static func part(_ first: Substring, _ last: Substring, _ length: Int) -> ByteRange? {
        if first.isEmpty {
            guard let count = number(last) else { return nil }
            guard count > 0, length > 0 else { return .unsatisfiable }
            return .part(max(0, length - count)...(length - 1))
        }
        guard let first = number(first) else { return nil }
        let last = last.isEmpty ? Int.max : number(last)
        guard let last, last >= first else { return nil }
        return first < length ? .part(first...min(last, length - 1)) : .unsatisfiable
    }

    /// Parses a decimal number; nil for other texts.
    ///
    /// A number that is too large becomes `Int.max`.
    private static func number(_ digits: Substring) -> Int? {
        guard !digits.isEmpty,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(digits) ?? .max
    }
}
