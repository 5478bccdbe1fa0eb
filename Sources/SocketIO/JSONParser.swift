extension JSON {
    /// Parses one JSON text strictly (RFC 8259).
    ///
    /// A whole number outside the range of `Int` becomes a `.number`; a lone surrogate becomes U+FFFD; a
    /// repeated member name keeps the last value.
    /// - Throws: `JSONError` for malformed text, and for more than `maximumDepth` nested containers.
    public init(parsing text: String, maximumDepth: Int = 64) throws(JSONError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }

    /// Parses one JSON text in UTF-8, like `init(parsing:maximumDepth:)` for strings.
    public init(parsing text: some Collection<UInt8>, maximumDepth: Int = 64) throws(JSONError) {
        // `Array(text)` alone would copy a substring's UTF-8 byte by byte.
        let bytes = text.withContiguousStorageIfAvailable { Array($0) } ?? Array(text)
        var parser = JSONParser(text: bytes, maximumDepth: maximumDepth)
        self = try parser.parseDocument()
    }
}

/// A recursive-descent parser for one JSON text, limited to `maximumDepth` nested containers.
struct JSONParser {
    let text: [UInt8]
    let maximumDepth: Int
    var position = 0

    mutating func parseDocument() throws(JSONError) -> JSON {
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard position == text.count else { throw error(.trailingText) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSON {
        skipWhitespace()
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
