extension JSONParser {
    mutating func parseString() throws(JSONError) -> String {
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

    /// Parses the rest of a string from its first escape sequence; `start` is the string's first byte.
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
        return string
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

    /// Parses the four digits after `\u`, and the second half of a surrogate pair.
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

    mutating func parseNumber() throws(JSONError) -> JSON {
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
        // An infinite number could not be serialized again.
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
