/// The reason for the end of a session; the raw values are those of the official Socket.IO server where it
/// has the same reason.
enum DisconnectReason: String, Sendable {
    case transportError = "transport error"
    case transportClose = "transport close"
    case clientClose = "client close"
    case pingTimeout = "ping timeout"
    case parseError = "parse error"
    case serverShuttingDown = "server shutting down"
    case forcedServerClose = "forced server close"
    case clientNamespaceDisconnect = "client namespace disconnect"
    /// Too much output waited for the client, or output waited too long; the official server has no such
    /// limit.
    case slowConsumer = "slow consumer"
    /// The client did not complete a message in time, or too much input of all clients was incomplete.
    case slowSender = "slow sender"

    /// Whether the client has announced its departure; otherwise it may return.
    var isLeave: Bool { self == .clientClose || self == .clientNamespaceDisconnect }

    /// Whether a polling client's next request after the end of the session is answered with a close packet.
    var isAnnouncedToPolling: Bool { self == .forcedServerClose || self == .serverShuttingDown }

    /// The code of the WebSocket's close frame (RFC 6455 §7.4).
    var closeCode: UInt16 {
        switch self {
        case .parseError: 1002
        case .serverShuttingDown: 1001
        case .slowConsumer, .slowSender: 1008
        case .transportError, .transportClose, .clientClose, .pingTimeout, .forcedServerClose,
            .clientNamespaceDisconnect:
            1000
        }
    }
}
