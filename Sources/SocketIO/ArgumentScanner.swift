internal import Basics

/// A scanner of an event's arguments that finds the `from` member of the first argument.
///
/// It validates the JSON text without allocating.
struct ArgumentScanner {
    private static let key: StaticString = "from"
    /// The maximum length of the key in bytes: every character may be escaped, as in `\u0066`.
    private static let longestKey = 24

    private(set) var sender = SenderField.none
    private var scanner: JSONScanner
    private var hasSender = false

    /// Creates a scanner that starts at `position`, the offset after the closing quote of the event's name.
    init(at position: Int) {
        scanner = JSONScanner(at: position)
        scanner.outerDepth = 1
    }

    /// Scans the rest of the array and the white space after it; false if the text is malformed.
    mutating func scan(_ text: Span<UInt8>) -> Bool {
        var isFirst = true
        scanner.skipWhitespace(text)
        while scanner.skip(UInt8(ascii: ","), text) {
            scanner.skipWhitespace(text)
            if isFirst, scanner.skip(UInt8(ascii: "{"), text) {
                guard scanMembers(text) else { return false }
            } else {
                guard scanner.scanValue(text) else { return false }
            }
            isFirst = false
            scanner.skipWhitespace(text)
        }
        guard scanner.skip(UInt8(ascii: "]"), text) else { return false }
        scanner.skipWhitespace(text)
        return scanner.position == text.count
    }

    private mutating func scanMembers(_ text: Span<UInt8>) -> Bool {
        scanner.outerDepth += 1
        defer { scanner.outerDepth -= 1 }
        scanner.skipWhitespace(text)
        if scanner.skip(UInt8(ascii: "}"), text) { return true }
        repeat {
            scanner.skipWhitespace(text)
            let keyStart = scanner.position
            guard scanner.scanString(text) else { return false }
            let isSender = Self.isKey(keyStart + 1..<scanner.position - 1, text)
            scanner.skipWhitespace(text)
            guard scanner.skip(UInt8(ascii: ":"), text) else { return false }
            scanner.skipWhitespace(text)
            let valueStart = scanner.position
            guard scanner.scanValue(text) else { return false }
            if isSender { note(valueStart..<scanner.position, text) }
            scanner.skipWhitespace(text)
        } while scanner.skip(UInt8(ascii: ","), text)
        return scanner.skip(UInt8(ascii: "}"), text)
    }

    private mutating func note(_ value: Range<Int>, _ text: Span<UInt8>) {
        if hasSender {
            sender = .ambiguous
        } else if text[value.lowerBound] == UInt8(ascii: "\"") {
            let content = value.lowerBound + 1..<value.upperBound - 1
            sender = .text(content, hasEscapes: content.contains { text[$0] == UInt8(ascii: "\\") })
        }
        hasSender = true
    }

    /// Checks whether a key, in which characters may be escaped, equals `from`.
    private static func isKey(_ range: Range<Int>, _ text: Span<UInt8>) -> Bool {
        guard (key.utf8CodeUnitCount...longestKey).contains(range.count) else { return false }
        var position = range.lowerBound
        for offset in 0..<key.utf8CodeUnitCount {
            guard position < range.upperBound else { return false }
            let isEscaped = text[position] == UInt8(ascii: "\\")
            let byte = isEscaped ? escapedByte(position, range.upperBound, text) : text[position]
            guard byte == key.utf8Start[offset] else { return false }
            position += isEscaped ? 6 : 1
        }
        return position == range.upperBound
    }

    /// Decodes an escape sequence from `\u0000` to `\u00FF`; nil for any other sequence.
    private static func escapedByte(_ start: Int, _ end: Int, _ text: Span<UInt8>) -> UInt8? {
        guard end - start >= 6, text[start + 1] == UInt8(ascii: "u"), text[start + 2] == UInt8(ascii: "0"),
            text[start + 3] == UInt8(ascii: "0"), let high = hexadecimal(text[start + 4]),
            let low = hexadecimal(text[start + 5])
        else { return nil }
        return high << 4 | low
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
