internal import NIOWebSocket

/// Why a session ended, in the words of the official server.
enum DisconnectReason: String, Sendable {
    case transportError = "transport error"
    case transportClose = "transport close"
    case clientClose = "client close"
    case pingTimeout = "ping timeout"
    case parseError = "parse error"
    case serverShuttingDown = "server shutting down"
    case forcedServerClose = "forced server close"
    case clientNamespaceDisconnect = "client namespace disconnect"

    /// Whether the client said that it goes; otherwise it may come back.
    var isLeave: Bool { self == .clientClose || self == .clientNamespaceDisconnect }

    /// The code of the WebSocket's close frame (RFC 6455 §7.4).
    var closeCode: WebSocketErrorCode {
        switch self {
        case .parseError: .protocolError
        case .serverShuttingDown: .goingAway
        case .transportError, .transportClose, .clientClose, .pingTimeout, .forcedServerClose,
            .clientNamespaceDisconnect:
            .normalClosure
        }
    }
}
