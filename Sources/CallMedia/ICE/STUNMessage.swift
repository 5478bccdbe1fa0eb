internal import Basics
internal import CallCore
internal import GLibKit

/// A STUN (RFC 8489 §5) or TURN (RFC 8656) message.
struct STUNMessage: Hashable, Sendable {
    /// The method and class of a message, combined as on the wire.
    enum Kind: UInt16, Sendable {
        case bindingRequest = 0x0001
        case bindingSuccess = 0x0101
        case bindingError = 0x0111
        case allocateRequest = 0x0003
        case allocateSuccess = 0x0103
        case allocateError = 0x0113
        case refreshRequest = 0x0004
        case refreshSuccess = 0x0104
        case refreshError = 0x0114
    }

    enum Attribute: UInt16, Sendable {
        case username = 0x0006
        case messageIntegrity = 0x0008
        case errorCode = 0x0009
        case lifetime = 0x000D
        case realm = 0x0014
        case nonce = 0x0015
        case relayedAddress = 0x0016
        case requestedTransport = 0x0019
        case mappedAddress = 0x0020
    }

    /// The long-term credentials of a user (RFC 8489 §9.2).
    struct Credentials: Hashable, Sendable {
        var username: String
        var secret: String
        var realm: [UInt8]
        var nonce: [UInt8]

        fileprivate var key: [UInt8] {
            Digest.md5(Array("\(username):".utf8) + realm + Array(":\(secret)".utf8))
        }
    }

    static let headerSize = 20
    /// The size in bytes of the largest message to accept; our requests and their responses are far smaller.
    private static let largest = 4096
    private static let magicCookie: [UInt8] = [0x21, 0x12, 0xA4, 0x42]

    let kind: Kind
    /// The transaction ID of 12 bytes.
    let transaction: [UInt8]
    private(set) var attributes: [Attribute: [UInt8]] = [:]
    private var order: [Attribute] = []

    /// Creates a request with a new transaction ID.
    init(_ kind: Kind) {
        self.kind = kind
        transaction = (0..<12).map { _ in .random(in: .min ... .max) }
    }

    /// Returns the size of the message that begins with these bytes; nil if they are not a STUN header, or if
    /// the message is larger than `largest`.
    static func size(ofMessage start: [UInt8]) -> Int? {
        guard start.count >= headerSize, Array(start[4..<8]) == magicCookie, start[0] & 0xC0 == 0 else {
            return nil
        }
        let size = headerSize + Int(start[2]) << 8 + Int(start[3])
        return size % 4 == 0 && size <= largest ? size : nil
    }

    /// Parses a complete message and ignores unknown attributes; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        guard let size = Self.size(ofMessage: bytes), size == bytes.count,
            let kind = Kind(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        else { return nil }
        self.kind = kind
        transaction = Array(bytes[8..<20])
        var at = Self.headerSize
        while at + 4 <= bytes.count {
            let length = Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            guard at + 4 + length <= bytes.count else { return nil }
            if let name = Attribute(rawValue: UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])),
                attributes[name] == nil
            {
                set(name, Array(bytes[at + 4..<at + 4 + length]))
            }
            at += 4 + (length + 3) & ~3
        }
    }

    mutating func set(_ attribute: Attribute, _ value: [UInt8]) {
        if attributes.updateValue(value, forKey: attribute) == nil { order.append(attribute) }
    }

    /// Returns the message's bytes; with credentials, the last attribute is MESSAGE-INTEGRITY.
    func encoded(_ credentials: Credentials? = nil) -> [UInt8] {
        var body: [UInt8] = []
        for name in order { Self.append(name, attributes[name] ?? [], to: &body) }
        guard let credentials else { return header(body.count) + body }
        Self.append(.username, Array(credentials.username.utf8), to: &body)
        Self.append(.nonce, credentials.nonce, to: &body)
        Self.append(.realm, credentials.realm, to: &body)
        // The header's length includes MESSAGE-INTEGRITY, which covers everything before it (RFC 8489 §14.5).
        let proved = header(body.count + 24) + body
        var proof: [UInt8] = []
        Self.append(.messageIntegrity, Digest.hmacSHA1(proved, key: credentials.key), to: &proof)
        return proved + proof
    }

    private func header(_ length: Int) -> [UInt8] {
        Self.pair(kind.rawValue) + Self.pair(UInt16(clamping: length)) + Self.magicCookie + transaction
    }

    private static func append(_ name: Attribute, _ value: [UInt8], to body: inout [UInt8]) {
        let value = value.prefix(Int(UInt16.max))
        body += pair(name.rawValue) + pair(UInt16(value.count)) + value
        while body.count % 4 != 0 { body.append(0) }
    }

    private static func pair(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}

// MARK: - Attributes

extension STUNMessage {
    /// The code and reason of an error (RFC 8489 §14.8); nil if the message has no valid error code
    /// attribute.
    var error: (code: Int, reason: String)? {
        guard let value = attributes[.errorCode], value.count >= 4 else { return nil }
        let code = Int(value[2] & 7) * 100 + Int(value[3])
        return (code, String(decoding: value.dropFirst(4).prefix(128), as: UTF8.self).printable())
    }

    /// Returns address and port of an XOR-encoded attribute (RFC 8489 §14.2), such as `192.0.2.1:5`; nil if
    /// it is absent or malformed.
    func address(_ attribute: Attribute) -> String? {
        guard let value = attributes[attribute], value.count == 8 || value.count == 20 else { return nil }
        let mask: [UInt8] = [0x21, 0x12, 0xA4, 0x42] + transaction
        let plain = zip(value[4...], mask).map { $0 ^ $1 }
        let port = Int(value[2] ^ mask[0]) << 8 | Int(value[3] ^ mask[1])
        guard plain.count == 4 else {
            let groups = stride(from: 0, to: 16, by: 2).map {
                String(Int(plain[$0]) << 8 | Int(plain[$0 + 1]), radix: 16)
            }
            return "[\(groups.joined(separator: ":"))]:\(port)"
        }
        return "\(plain.map(String.init).joined(separator: ".")):\(port)"
    }
}
