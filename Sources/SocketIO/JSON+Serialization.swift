extension JSON {
    /// Serializes the value as compact JSON, like `JSON.stringify`.
    ///
    /// Non-finite numbers become `null`, attachments become Base64 strings.
    public func serialized() -> String {
        var output: [UInt8] = []
        write(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the value as compact JSON in UTF-8.
    package func write(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): output.append(contentsOf: value.description.utf8)
        case .number(let value): Self.write(value, to: &output)
        case .string(let value): Self.write(value, to: &output)
        case .array(let items): Self.write(items, to: &output)
        case .object(let members): Self.write(members, to: &output)
        case .binary(let bytes): Self.write(Base64.encode(bytes), to: &output)
        }
    }

    private static func write(_ items: [JSON], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, item) in items.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            item.write(to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private static func write(_ members: JSONObject, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            write(member.key, to: &output)
            output.append(UInt8(ascii: ":"))
            member.value.write(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func write(_ value: Double, to output: inout [UInt8]) {
        guard value.isFinite else {
            output.append(contentsOf: "null".utf8)
            return
        }
        // `JSON.stringify` writes 1.0 as 1 and -0 as 0.
        let text = value == 0 ? "0" : value.description
        output.append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
    }

    private static func write(_ value: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in
            var start = 0
            for position in text.indices where needsEscape(text[position]) {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<position]))
                output.append(contentsOf: escapeSequence(for: text[position]).utf8)
                start = position + 1
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    private static func escapeSequence(for byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        default: "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }
    }
}
