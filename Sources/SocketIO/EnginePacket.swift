internal import Basics

/// A packet of the Engine.IO protocol, version 4.
///
/// On WebSocket a packet is one text message, except `.binary`, which is one binary message without a type.
package enum EnginePacket: Hashable, Sendable {
    case open(EngineHandshake)
    case close
    /// A ping; its payload is empty, or `probe` during an upgrade.
    case ping(String)
    /// A pong with the payload of its ping.
    case pong(String)
    case message(String)
    case binary([UInt8])
    case upgrade
    case noop

    /// Parses a packet: a type digit and a payload, or `b` and Base64.
    ///
    /// - Throws: `EnginePacketError` for an empty text, an unknown type, a malformed handshake or malformed
    ///   Base64.
    package init(text: some StringProtocol) throws(EnginePacketError) {
        // The type is read from UTF-8, because a combining mark after the digit would merge with it into one
        // Character.
        let utf8 = text.utf8
        guard let type = utf8.first else { throw .empty }
        let payload = text[utf8.index(after: utf8.startIndex)...]
        switch type {
        case UInt8(ascii: "0"): self = .open(try Self.handshake(payload))
        case UInt8(ascii: "1"): self = .close
        case UInt8(ascii: "2"): self = .ping(payload.streamSafe)
        case UInt8(ascii: "3"): self = .pong(payload.streamSafe)
        case UInt8(ascii: "4"): self = .message(String(payload))
        case UInt8(ascii: "5"): self = .upgrade
        case UInt8(ascii: "6"): self = .noop
        case UInt8(ascii: "b"):
            guard let bytes = Base64.decode(payload) else { throw .invalidBase64 }
            self = .binary(bytes)
        default: throw .unknownType(text.first ?? "?")
        }
    }

    private static func handshake(_ payload: some StringProtocol) throws(EnginePacketError) -> EngineHandshake
    {
        let json: JSON
        do {
            json = try JSON(parsing: payload.utf8)
        } catch {
            throw .handshake(field: nil)
        }
        return try EngineHandshake(json)
    }

    /// The packet's text; for `.binary`, the Base64 form for transports without binary messages.
    package var text: String {
        switch self {
        case .open(let handshake): "0" + handshake.json.serialized()
        case .close: "1"
        case .ping(let payload): "2" + payload
        case .pong(let payload): "3" + payload
        case .message(let payload): "4" + payload
        case .binary(let bytes): "b" + Base64.encode(bytes)
        case .upgrade: "5"
        case .noop: "6"
        }
    }
}
