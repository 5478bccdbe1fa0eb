/// Why a message is no Engine.IO 4 packet.
package enum EnginePacketError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case unknownType(Character)
    case invalidBase64
    /// The `open` packet holds no JSON object, or the named field of it has no sense.
    case handshake(field: String?)
    /// A polling body has more bytes than allowed.
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
