/// A JSON value as Socket.IO carries it: JSON of RFC 8259, and binary attachments.
///
/// Two values are equal when they are written alike: the order of an object's members counts, and
/// `.int(1)` is not `.number(1)`. The accessors see through the latter.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
    /// Bytes that travel beside the text; a Socket.IO attachment.
    case binary([UInt8])
}

extension JSON {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The string, if this is one.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, if this is one that an `Int` holds, however it was written.
    public var intValue: Int? {
        switch self {
        case .int(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, if this is one.
    public var doubleValue: Double? {
        switch self {
        case .int(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The truth value, if this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The items, if this is an array.
    public var arrayValue: [JSON]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// The members, if this is an object.
    public var objectValue: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The attachment's bytes, if this is one.
    public var binaryValue: [UInt8]? {
        if case .binary(let bytes) = self { bytes } else { nil }
    }

    /// The member of that name, if this is an object that has it.
    public subscript(key: String) -> JSON? { objectValue?[key] }
}

extension JSON: CustomStringConvertible {
    /// The value as JSON text.
    public var description: String { serialized() }
}
