package import NIOCore

/// A value of the Redis protocol, version 2 (RESP2).
package enum RESPValue: Hashable, Sendable {
    case simple(String)
    /// An error reply, with its code first: `WRONGPASS …`.
    case error(String)
    case integer(Int)
    case bulk(ByteBuffer)
    case array([RESPValue])
    case null
    /// A bulk string that was dropped because it exceeds the limit; the associated value is its length in
    /// bytes.
    case oversized(Int)
}

extension RESPValue {
    /// The text of a simple string, or of a bulk string that is valid UTF-8; nil for other values.
    package var text: String? {
        switch self {
        case .simple(let text): text
        case .bulk(let bytes): String(validating: bytes.readableBytesView, as: UTF8.self)
        case .error, .integer, .array, .null, .oversized: nil
        }
    }

    package var bytes: ByteBuffer? {
        if case .bulk(let bytes) = self { bytes } else { nil }
    }

    package var integer: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    package var items: [RESPValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    package var isNull: Bool { self == .null }
}
