/// A JSON validator (RFC 8259) that neither allocates nor recurses.
///
/// It accepts the same texts as `JSON.init(parsing:maximumDepth:)`, but leaves the validation of UTF-8 to the
/// caller.
package struct JSONScanner {
    /// The maximum nesting depth: one bit per open container in a 64-bit word.
    package static let maximumDepth = 64

    /// The offset of the next byte to scan.
    package private(set) var position: Int

    /// The number of containers around the scanned value; it counts toward the maximum depth.
    package var outerDepth = 0

    /// One bit per open container, set for objects; the lowest bit is the innermost container.
    private var objects: UInt64 = 0
    private var depth = 0

    package init(at position: Int = 0) { self.position = position }

    /// Scans the rest of the text as one value and white space; false if the text is malformed.
    package mutating func scanDocument(_ text: Span<UInt8>) -> Bool {
        guard scanValue(text) else { return false }
        skipWhitespace(text)
        return position == text.count
    }

    /// Scans one value and advances past it; false if the value is malformed.
    package mutating func scanValue(_ text: Span<UInt8>) -> Bool {
        repeat {
            guard scanItem(text) else { return false }
            // The item may be the last item of several nested containers.
            while depth > 0 {
                skipWhitespace(text)
                guard position < text.count else { return false }
                let byte = text[position]
                position += 1
                if byte == UInt8(ascii: ",") {
                    if objects & 1 == 1, !scanKey(text) { return false }
                    break
                }
                guard byte == (objects & 1 == 1 ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
                close()
            }
        } while depth > 0
        return true
    }

    /// Scans a string and advances past its closing quote; false if the string is malformed.
    package mutating func scanString(_ text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return false }
        position += 1
        while true {
            skipPlain(text)
            guard position < text.count else { return false }
            let byte = text[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            if byte == UInt8(ascii: "\\"), !scanEscape(text) { return false }
        }
    }

    /// Advances past characters of a string without a special meaning, eight bytes at a time.
    ///
    /// At the end of the text, up to seven such characters are left to the caller.
    private mutating func skipPlain(_ text: Span<UInt8>) {
        var position = position
        text.withUnsafeBytes { bytes in
            while bytes.count - position >= 8 {
                let word = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                )
                let marks =
                    Self.zeros(word ^ Self.quotes) | Self.zeros(word ^ Self.backslashes) | Self.controls(word)
                guard marks == 0 else { return position += marks.trailingZeroBitCount / 8 }
                position += 8
            }
        }
        self.position = position
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let quotes = ones * UInt64(UInt8(ascii: "\""))
    private static let backslashes = ones * UInt64(UInt8(ascii: "\\"))

    /// Marks the highest bit of the first byte that is zero; bytes above that byte may be marked wrongly.
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & (ones << 7) }

    /// Marks the highest bit of the first byte below 0x20; bytes above that byte may be marked wrongly.
    private static func controls(_ word: UInt64) -> UInt64 { (word &- ones << 5) & ~word & (ones << 7) }

    /// Advances past the next byte if it equals `byte`.
    package mutating func skip(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    package mutating func skipWhitespace(_ text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Opens the next containers, then scans a scalar or an empty container.
    private mutating func scanItem(_ text: Span<UInt8>) -> Bool {
        while true {
            skipWhitespace(text)
            guard position < text.count else { return false }
            switch text[position] {
            case UInt8(ascii: "{"):
                guard open(isObject: true) else { return false }
                if closesEmpty(UInt8(ascii: "}"), text) { return true }
                guard scanKey(text) else { return false }
            case UInt8(ascii: "["):
                guard open(isObject: false) else { return false }
                if closesEmpty(UInt8(ascii: "]"), text) { return true }
            case UInt8(ascii: "\""): return scanString(text)
            case UInt8(ascii: "t"): return scan("true", text)
            case UInt8(ascii: "f"): return scan("false", text)
            case UInt8(ascii: "n"): return scan("null", text)
            default: return scanNumber(text)
            }
        }
    }

    private mutating func open(isObject: Bool) -> Bool {
        guard outerDepth + depth < Self.maximumDepth else { return false }
        depth += 1
        objects = objects << 1 | (isObject ? 1 : 0)
        position += 1
        return true
    }

    private mutating func close() {
        depth -= 1
        objects >>= 1
    }

    private mutating func closesEmpty(_ bracket: UInt8, _ text: Span<UInt8>) -> Bool {
        skipWhitespace(text)
        guard position < text.count, text[position] == bracket else { return false }
        position += 1
        close()
        return true
    }

    private mutating func scanKey(_ text: Span<UInt8>) -> Bool {
        skipWhitespace(text)
        guard scanString(text) else { return false }
        skipWhitespace(text)
        guard position < text.count, text[position] == UInt8(ascii: ":") else { return false }
        position += 1
        return true
    }
}

extension JSONScanner {
    private mutating func scan(_ word: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.count - position >= word.utf8CodeUnitCount else { return false }
        for offset in 0..<word.utf8CodeUnitCount {
            guard text[position + offset] == word.utf8Start[offset] else { return false }
        }
        position += word.utf8CodeUnitCount
        return true
    }

    private mutating func scanEscape(_ text: Span<UInt8>) -> Bool {
        guard position < text.count else { return false }
        let byte = text[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard text.count - position >= 4 else { return false }
            for _ in 0..<4 {
                guard Self.isHexadecimal(text[position]) else { return false }
                position += 1
            }
            return true
        default: return false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private mutating func scanNumber(_ text: Span<UInt8>) -> Bool {
        let start = position
        skip(text) { $0 == UInt8(ascii: "-") }
        if position < text.count, text[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            guard scanDigits(text) else { return false }
        }
        if skip(text, where: { $0 == UInt8(ascii: ".") }), !scanDigits(text) { return false }
        if skip(text, where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            skip(text) { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            guard scanDigits(text) else { return false }
        }
        return position - start <= 1024
    }

    /// Advances past the next byte if it satisfies the predicate.
    @discardableResult
    private mutating func skip(_ text: Span<UInt8>, where isMeant: (UInt8) -> Bool) -> Bool {
        guard position < text.count, isMeant(text[position]) else { return false }
        position += 1
        return true
    }

    private mutating func scanDigits(_ text: Span<UInt8>) -> Bool {
        let start = position
        while skip(text, where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {}
        return position > start
    }
}
