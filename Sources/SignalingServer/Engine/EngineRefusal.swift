internal import NIOHTTP1

/// The reason for refusing an Engine.IO request; the raw values are the official server's error codes.
enum EngineRefusal: Int, Error, Sendable {
    case unknownTransport = 0
    case unknownSession = 1
    case badHandshakeMethod = 2
    case badRequest = 3
    case unsupportedProtocolVersion = 5

    var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badHandshakeMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .unsupportedProtocolVersion: "Unsupported protocol version"
        }
    }
}
