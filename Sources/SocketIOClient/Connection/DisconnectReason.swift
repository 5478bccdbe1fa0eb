/// The reason why a connection ended; the raw values are those of the official clients.
public enum DisconnectReason: String, Hashable, Sendable, CaseIterable {
    /// The server sent DISCONNECT.
    case serverDisconnect = "io server disconnect"
    /// This client disconnected.
    case clientDisconnect = "io client disconnect"
    /// The server sent no ping, or did not answer a liveness check, in time.
    case pingTimeout = "ping timeout"
    /// The transport was closed, or this host no longer has the local address of the connection.
    case transportClose = "transport close"
    /// The transport failed.
    case transportError = "transport error"
    /// The server sent an invalid packet.
    case parseError = "parse error"

    /// Whether the client reconnects automatically.
    public var isFollowedByReconnection: Bool {
        switch self {
        case .serverDisconnect, .clientDisconnect: false
        case .pingTimeout, .transportClose, .transportError, .parseError: true
        }
    }
}
