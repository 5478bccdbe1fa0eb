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
    /// More bytes are waiting for the client than may, or for longer; the official server lets them grow.
    case slowConsumer = "slow consumer"

    /// Whether the client said that it goes; otherwise it may come back.
    var isLeave: Bool { self == .clientClose || self == .clientNamespaceDisconnect }

    /// Whether a client that polls is still to be told when it asks the next time.
    var isTold: Bool { self == .forcedServerClose || self == .serverShuttingDown }

    /// The code of the WebSocket's close frame (RFC 6455 §7.4).
    var closeCode: UInt16 {
        switch self {
        case .parseError: 1002
        case .serverShuttingDown: 1001
        case .slowConsumer: 1008
        case .transportError, .transportClose, .clientClose, .pingTimeout, .forcedServerClose,
            .clientNamespaceDisconnect:
            1000
        }
    }
}
