internal import NIOHTTP1

/// The reason for refusing an Engine.IO request; the raw values are the official server's error codes.
enum EngineRefusal: Int, Error, Sendable {
    case unknownTransport, unknownSession, badHandshakeMethod, badRequest, forbidden,
        unsupportedProtocolVersion

    var status: HTTPResponseStatus { self == .forbidden ? .forbidden : .badRequest }

    var message: String {
        switch self {
        case .unknownTransport: "Transport unknown"
        case .unknownSession: "Session ID unknown"
        case .badHandshakeMethod: "Bad handshake method"
        case .badRequest: "Bad request"
        case .forbidden: "Forbidden"
        case .unsupportedProtocolVersion: "Unsupported protocol version"
        }
    }
}
