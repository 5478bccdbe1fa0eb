/// A JSON value (RFC 8259) or a Socket.IO binary attachment.
///
/// Equality is strict: the order of an object's members counts, and `.int(1)` does not equal `.number(1)`.
/// `intValue` and `doubleValue` accept both cases.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
    /// A Socket.IO attachment, which is sent apart from the JSON text.
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
