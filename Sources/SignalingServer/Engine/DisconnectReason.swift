/// The reason for a session's end, in the official server's wording.
enum DisconnectReason: String, Sendable {
    case transportError = "transport error"
    case transportClose = "transport close"
    case clientClose = "client close"
    case pingTimeout = "ping timeout"
    case parseError = "parse error"
    case serverShuttingDown = "server shutting down"
    case forcedServerClose = "forced server close"
    case clientNamespaceDisconnect = "client namespace disconnect"
    /// More output waits for the client than allowed, or it waits too long; the official server has no limit.
    case slowConsumer = "slow consumer"

    /// Whether the client has announced that it leaves; otherwise it may come back.
    var isLeave: Bool { self == .clientClose || self == .clientNamespaceDisconnect }

    /// Whether a polling client's next request is still answered with the close packet.
    var isAnnouncedToPolling: Bool { self == .forcedServerClose || self == .serverShuttingDown }

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
