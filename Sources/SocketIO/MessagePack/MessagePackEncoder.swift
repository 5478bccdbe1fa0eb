package import Basics

/// A MessagePack encoder that uses the shortest encoding of each value, but always 64 bits for a float.
///
/// `notepack.io`, the encoder of the official Redis adapter, does the same. A number without a fraction is
/// encoded as an integer, because JavaScript does not distinguish the two.
package struct MessagePackEncoder: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Encodes one value.
    package static func encode(_ value: JSON) -> [UInt8] {
        var encoder = MessagePackEncoder()
        encoder.append(value)
        return encoder.bytes
    }

    package mutating func append(_ value: JSON) {
        switch value {
        case .null: bytes.append(0xC0)
        case .bool(let value): bytes.append(value ? 0xC3 : 0xC2)
        case .int(let value): append(value)
        case .number(let value): append(value)
        case .string(let text): append(text)
        case .binary(let content):
            appendHeader([(0xC4, 1), (0xC5, 2), (0xC6, 4)], count: content.count)
            bytes += content
        case .array(let items):
            appendArrayHeader(items.count)
            for item in items { append(item) }
        case .object(let members):
            appendMapHeader(members.count)
            for (key, value) in members {
                append(key)
                append(value)
            }
        }
    }

    package mutating func append(_ text: String) {
        let count = text.utf8.count
        if count < 32 {
            bytes.append(0xA0 | UInt8(count))
        } else {
            appendHeader([(0xD9, 1), (0xDA, 2), (0xDB, 4)], count: count)
        }
        bytes += text.utf8
    }

    package mutating func appendArrayHeader(_ count: Int) {
        if count < 16 {
            bytes.append(0x90 | UInt8(count))
        } else {
            appendHeader([(0xDC, 2), (0xDD, 4)], count: count)
        }
    }

    package mutating func appendMapHeader(_ count: Int) {
        if count < 16 {
            bytes.append(0x80 | UInt8(count))
        } else {
            appendHeader([(0xDE, 2), (0xDF, 4)], count: count)
        }
    }

    /// Writes the header with the narrowest length field that holds the count; `width` is in bytes.
    private mutating func appendHeader(_ forms: [(type: UInt8, width: Int)], count: Int) {
        let form = forms.first { count < 1 << ($0.width * 8) } ?? forms[forms.count - 1]
        bytes.append(form.type)
        append(UInt64(count), width: form.width)
    }

    private mutating func append(_ value: Int) {
        switch value {
        case 0..<0x80: bytes.append(UInt8(value))
        case 0x80..<0x100: append(0xCC, UInt64(value), width: 1)
        case 0x100..<0x1_0000: append(0xCD, UInt64(value), width: 2)
        case 0x1_0000..<0x1_0000_0000: append(0xCE, UInt64(value), width: 4)
        case 0x1_0000_0000...: append(0xCF, UInt64(value), width: 8)
        case -0x20..<0: bytes.append(UInt8(bitPattern: Int8(value)))
        case -0x80 ..< -0x20: append(0xD0, UInt64(bitPattern: Int64(value)), width: 1)
        case -0x8000 ..< -0x80: append(0xD1, UInt64(bitPattern: Int64(value)), width: 2)
        case -0x8000_0000 ..< -0x8000: append(0xD2, UInt64(bitPattern: Int64(value)), width: 4)
        default: append(0xD3, UInt64(bitPattern: Int64(value)), width: 8)
        }
    }

    private mutating func append(_ value: Double) {
        if let whole = Int(exactly: value) { return append(whole) }
        append(0xCB, value.bitPattern, width: 8)
    }

    private mutating func append(_ type: UInt8, _ value: UInt64, width: Int) {
        bytes.append(type)
        append(value, width: width)
    }

    private mutating func append(_ value: UInt64, width: Int) {
        for shift in (0..<width).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift * 8)))
        }
    }
}
