internal import Basics

/// The reason why a message is not an Engine.IO 4 packet.
package enum EnginePacketError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case unknownType(Character)
    case invalidBase64
    /// The `open` packet is not JSON (nil), or the named field is missing or invalid.
    case handshake(field: String?)
    /// A polling body exceeds the size limit.
    case payloadTooLarge
    /// A polling body is not UTF-8.
    case invalidUTF8

    package var description: String {
        switch self {
        case .empty: "empty packet"
        case .unknownType(let type): "unknown packet type “\(type)”"
        case .invalidBase64: "invalid Base64"
        case .handshake(let field?): "handshake without a usable “\(field)”"
        case .handshake(nil): "handshake is not JSON"
        case .payloadTooLarge: "payload too large"
        case .invalidUTF8: "payload is not UTF-8"
        }
    }
}
