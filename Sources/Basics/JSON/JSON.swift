/// A JSON value (RFC 8259) or a Socket.IO binary attachment.
///
/// Equality is strict: the order of an object's members matters, and `.int(1)` does not equal `.number(1)`.
/// `intValue` and `doubleValue` accept both cases.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
    /// A Socket.IO attachment, which is sent in a binary message after the JSON text.
    case binary([UInt8])
}

extension JSON {
    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }

    /// The string; nil for other types.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number as an `Int`; nil if it is not a whole number in the range of `Int`, or for other types.
    public var intValue: Int? {
        switch self {
        case .int(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number; nil for other types.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The Boolean; nil for other types.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The items of an array; nil for other types.
    public var arrayValue: [JSON]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// The members of an object; nil for other types.
    public var objectValue: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The bytes of an attachment; nil for other types.
    public var binaryValue: [UInt8]? {
        if case .binary(let bytes) = self { bytes } else { nil }
    }

    /// The member with the given name; nil if there is none or the value is not an object.
    public subscript(key: String) -> JSON? { objectValue?[key] }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String { serialized() }
}

// MARK: - Literals

extension JSON: ExpressibleByNilLiteral {
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .int(value) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSON: ExpressibleByStringInterpolation {
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Creates an array.
    public init(arrayLiteral items: JSON...) { self = .array(items) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members in order; a repeated name keeps the last value.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(JSONObject(members))
    }
}

// MARK: - Serialization

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
            for position in text.indices where escapedLength(of: text[position]) > 1 {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<position]))
                writeEscape(of: text[position], to: &output)
                start = position + 1
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Returns the length in bytes of a text as a JSON string in UTF-8, without the quotation marks.
    package static func escapedLength(of text: String) -> Int {
        text.utf8.reduce(0) { $0 + escapedLength(of: $1) }
    }

    private static func escapedLength(of byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
        case ..<0x20: 6
        default: 1
        }
    }

    private static func writeEscape(of byte: UInt8, to output: inout [UInt8]) {
        let letter: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        default: return writeEscape(ofUnit: UInt16(byte), to: &output)
        }
        output.append(UInt8(ascii: "\\"))
        output.append(letter)
    }

    /// Appends the escape sequence of a UTF-16 code unit, such as `\u00e9`.
    package static func writeEscape(ofUnit unit: UInt16, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: "u"))
        for shift in stride(from: 12, through: 0, by: -4) {
            let digit = UInt8(unit >> shift & 0xF)
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
