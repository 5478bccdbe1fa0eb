package import Basics

/// A decoder for one MessagePack value, including the formats of older encoders.
///
/// The value `undefined`, which older encoders write, becomes `null`. A date becomes a string, as in
/// `JSON.stringify`.
package struct MessagePackDecoder {
    /// The maximum nesting depth: the depth of JSON plus four levels for the envelope of the Redis adapters.
    package static let maximumDepth = JSONScanner.maximumDepth + 4
    /// The maximum number of values and keys; each may take one byte of input but far more memory.
    ///
    /// The limit suffices for every client message: a message has at most a million bytes of JSON, and each
    /// value takes at least two of them.
    private static let maximumValues = 1 << 19

    private let bytes: [UInt8]
    private var position = 0
    private var values = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Decodes one value.
    ///
    /// - Throws: `MessagePackError`.
    package static func decode(_ bytes: [UInt8]) throws(MessagePackError) -> JSON {
        var decoder = MessagePackDecoder(bytes)
        let value = try decoder.value(depth: 0)
        guard decoder.position == bytes.count else { throw .trailingBytes }
        return value
    }

    private mutating func value(depth: Int) throws(MessagePackError) -> JSON {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        values += 1
        guard values <= Self.maximumValues else { throw .tooMany }
        let type = try byte()
        switch type {
        case 0x00...0x7F: return .int(Int(type))
        case 0xE0...0xFF: return .int(Int(Int8(bitPattern: type)))
        case 0x80...0x8F: return try map(Int(type & 0x0F), depth)
        case 0x90...0x9F: return try array(Int(type & 0x0F), depth)
        case 0xA0...0xBF: return .string(try text(Int(type & 0x1F)))
        case 0xC0: return .null
        case 0xC2, 0xC3: return .bool(type == 0xC3)
        case 0xC4...0xC6: return .binary(try raw(try count(1 << (type - 0xC4))))
        case 0xCA...0xD3: return try number(type)
        case 0xD9...0xDB: return .string(try text(try count(1 << (type - 0xD9))))
        case 0xDC, 0xDD: return try array(try count(2 << (type - 0xDC)), depth)
        case 0xDE, 0xDF: return try map(try count(2 << (type - 0xDE)), depth)
        case 0xC7...0xC9: return try ext(try count(1 << (type - 0xC7)))
        case 0xD4...0xD8: return try ext(1 << (type - 0xD4))
        default: throw .invalidType
        }
    }

    private mutating func number(_ type: UInt8) throws(MessagePackError) -> JSON {
        switch type {
        case 0xCA: return .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try integer(4)))))
        case 0xCB: return .number(Double(bitPattern: try integer(8)))
        case 0xCC...0xCF:
            let value = try integer(1 << Int(type - 0xCC))
            return Int(exactly: value).map(JSON.int) ?? .number(Double(value))
        default:
            let width = 1 << Int(type - 0xD0)
            let shift = UInt64(64 - width * 8)
            return .int(Int(Int64(bitPattern: try integer(width) << shift) >> Int64(shift)))
        }
    }

    private mutating func array(_ count: Int, _ depth: Int) throws(MessagePackError) -> JSON {
        var items: [JSON] = []
        for _ in 0..<count { items.append(try value(depth: depth + 1)) }
        return .array(items)
    }

    private mutating func map(_ count: Int, _ depth: Int) throws(MessagePackError) -> JSON {
        var members: [(String, JSON)] = []
        for _ in 0..<count {
            guard case .string(let key) = try value(depth: depth + 1) else { throw .invalidKey }
            members.append((key, try value(depth: depth + 1)))
        }
        return .object(JSONObject(members))
    }

    private mutating func text(_ count: Int) throws(MessagePackError) -> String {
        let content = try advance(count)
        guard let text = String(validating: bytes[content], as: UTF8.self) else { throw .invalidUTF8 }
        return text.streamSafe
    }

    private mutating func ext(_ count: Int) throws(MessagePackError) -> JSON {
        let type = Int8(bitPattern: try byte())
        let content = try raw(count)
        switch (type, count) {
        case (-1, 4), (-1, 8), (-1, 12):
            guard let date = MessagePackDate(timestamp: content) else { return .null }
            return .string(date.text)
        case (0, 1) where content == [0]: return .null
        case (0, 8): return MessagePackDate(milliseconds: content).map { .string($0.text) } ?? .null
        case (0, _): return .binary(content)
        default: throw .unknownExtension(type)
        }
    }

    private mutating func byte() throws(MessagePackError) -> UInt8 {
        guard position < bytes.count else { throw .unexpectedEnd }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func raw(_ count: Int) throws(MessagePackError) -> [UInt8] {
        Array(bytes[try advance(count)])
    }

    private mutating func advance(_ count: Int) throws(MessagePackError) -> Range<Int> {
        guard count <= bytes.count - position else { throw .unexpectedEnd }
        defer { position += count }
        return position..<position + count
    }

    private mutating func integer(_ width: Int) throws(MessagePackError) -> UInt64 {
        try bytes[advance(width)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func count(_ width: Int) throws(MessagePackError) -> Int {
        let count = Int(try integer(width))
        // Every counted item takes at least one byte.
        guard count <= bytes.count - position else { throw .unexpectedEnd }
        return count
    }
}
