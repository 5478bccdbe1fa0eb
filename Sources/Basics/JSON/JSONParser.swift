extension JSON {
    /// Parses one JSON text strictly (RFC 8259).
    ///
    /// A whole number outside the range of `Int` becomes a `.number`; a lone surrogate becomes U+FFFD; a
    /// repeated member name keeps the last value. Strings are converted to the Stream-Safe Text Format.
    /// - Throws: `JSONError` for malformed text, for more than `maximumDepth` nested containers, and for a
    ///   number of more than 1024 characters.
    public init(parsing text: String, maximumDepth: Int = 64) throws(JSONError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }

    /// Parses one JSON text in UTF-8, like `init(parsing:maximumDepth:)` for strings.
    ///
    /// - Throws: `JSONError`, also for more than `maximumValues` values, including containers.
    public init(
        parsing text: some Collection<UInt8>,
        maximumDepth: Int = 64,
        maximumValues: Int = .max
    ) throws(JSONError) {
        // `Array(text)` alone would copy a substring's UTF-8 byte by byte.
        let bytes = text.withContiguousStorageIfAvailable { Array($0) } ?? Array(text)
        var parser = JSONParser(text: bytes, maximumDepth: maximumDepth, remainingValues: maximumValues)
        self = try parser.parseDocument()
    }
}

/// A recursive-descent parser for one JSON text, limited to `maximumDepth` nested containers.
struct JSONParser {
    let text: [UInt8]
    let maximumDepth: Int
    /// The number of values that may still follow.
    var remainingValues: Int
    var position = 0

    fileprivate mutating func parseDocument() throws(JSONError) -> JSON {
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard position == text.count else { throw error(.trailingText) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSON {
        skipWhitespace()
        guard remainingValues > 0 else { throw error(.tooMany) }
        remainingValues -= 1
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parse(word: "true", as: .bool(true))
        case UInt8(ascii: "f"): return try parse(word: "false", as: .bool(false))
        case UInt8(ascii: "n"): return try parse(word: "null", as: .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: throw error(.unexpectedByte)
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONObject {
        var pairs: [(String, JSON)] = []
        try parseItems(until: UInt8(ascii: "}"), depth: depth) { (parser) throws(JSONError) in
            let key = try parser.parseString()
            parser.skipWhitespace()
            try parser.expect(UInt8(ascii: ":"))
            pairs.append((key, try parser.parseValue(depth: depth)))
        }
        return JSONObject(pairs)
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSON] {
        var items: [JSON] = []
        try parseItems(until: UInt8(ascii: "]"), depth: depth) { (parser) throws(JSONError) in
            items.append(try parser.parseValue(depth: depth))
        }
        return items
    }

    /// Parses the comma-separated items of a container, starting at its opening bracket.
    private mutating func parseItems(
        until closingBracket: UInt8,
        depth: Int,
        item: (inout JSONParser) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard depth <= maximumDepth else { throw error(.tooDeep) }
        position += 1
        skipWhitespace()
        if try peek() == closingBracket {
            position += 1
            return
        }
        while true {
            skipWhitespace()
            try item(&self)
            skipWhitespace()
            if try peek() == closingBracket {
                position += 1
                return
            }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func parse(word: StaticString, as value: JSON) throws(JSONError) -> JSON {
        for offset in 0..<word.utf8CodeUnitCount {
            try expect(word.utf8Start[offset])
        }
        return value
    }

    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard try peek() == byte else { throw error(.unexpectedByte) }
        position += 1
    }

    func peek() throws(JSONError) -> UInt8 {
        guard position < text.count else { throw error(.unexpectedEnd) }
        return text[position]
    }

    mutating func skipWhitespace() {
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}

// MARK: - Scalars

extension JSONParser {
    private mutating func parseString() throws(JSONError) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        try skipPlainText()
        if text[position] == UInt8(ascii: "\"") {
            let string = try decodeUTF8(text[start..<position])
            position += 1
            return string
        }
        return try parseEscapedString(from: start)
    }

    /// Parses the rest of a string from its first escape sequence; `start` is the offset of the string's
    /// first byte.
    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var unescaped = Array(text[start..<position])
        while true {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") { break }
            guard byte == UInt8(ascii: "\\") else { throw error(.controlCharacter) }
            try parseEscape(into: &unescaped)
            let plain = position
            try skipPlainText()
            unescaped.append(contentsOf: text[plain..<position])
        }
        let string = try decodeUTF8(unescaped[...])
        position += 1
        return string
    }

    /// Advances to the end of plain text: a quote, an escape sequence or a control character.
    private mutating func skipPlainText() throws(JSONError) {
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            position += 1
        }
        throw error(.unexpectedEnd)
    }

    private func decodeUTF8(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else { throw error(.invalidUTF8) }
        return string.streamSafe
    }

    private mutating func parseEscape(into output: inout [UInt8]) throws(JSONError) {
        position += 1
        let byte = try peek()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            output.append(contentsOf: Array(String(try parseScalar()).utf8))
            return
        default: throw error(.invalidEscape)
        }
        position += 1
    }

    /// Parses the four digits after `\u`, and the escaped trail surrogate after a lead surrogate.
    ///
    /// A lone surrogate becomes U+FFFD.
    private mutating func parseScalar() throws(JSONError) -> Character {
        let first = try parseHexadecimal()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        let rest = text[position...].prefix(2)
        guard UTF16.isLeadSurrogate(first), rest.elementsEqual([UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            return "\u{FFFD}"
        }
        let resume = position
        position += 2
        let second = try parseHexadecimal()
        guard UTF16.isTrailSurrogate(second) else {
            position = resume
            return "\u{FFFD}"
        }
        let scalar = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        return Unicode.Scalar(scalar).map(Character.init) ?? "\u{FFFD}"
    }

    private mutating func parseHexadecimal() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue else {
                throw error(.invalidEscape)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private mutating func parseNumber() throws(JSONError) -> JSON {
        let start = position
        var isWhole = true
        if text[position] == UInt8(ascii: "-") { position += 1 }
        if try peek() == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
        if position < text.count, text[position] == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try skipDigits()
        }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if try [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(peek()) { position += 1 }
            try skipDigits()
        }
        // Converting a number of thousands of digits is expensive.
        guard position - start <= 1024 else { throw error(.invalidNumber) }
        let digits = String(decoding: text[start..<position], as: UTF8.self)
        if isWhole, let value = Int(digits) { return .int(value) }
        guard let value = Double(digits) else { throw error(.invalidNumber) }
        // The largest finite number replaces infinity, which JSON cannot represent.
        let largest = Double.greatestFiniteMagnitude
        return .number(min(max(value, -largest), largest))
    }

    private mutating func skipDigits() throws(JSONError) {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(try peek()) else {
            throw error(.invalidNumber)
        }
        while position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) {
            position += 1
        }
    }
}
