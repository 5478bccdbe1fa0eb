/// Why a connection ended, in the words of the official clients.
public enum DisconnectReason: String, Hashable, Sendable, CaseIterable {
    /// The server sent DISCONNECT.
    case serverDisconnect = "io server disconnect"
    /// This side asked for it.
    case clientDisconnect = "io client disconnect"
    /// The server's heartbeat stayed out for its ping interval and timeout.
    case pingTimeout = "ping timeout"
    /// The transport was closed, or the network lost.
    case transportClose = "transport close"
    /// The transport failed.
    case transportError = "transport error"
    /// The server sent what is no Socket.IO packet.
    case parseError = "parse error"

    /// Whether the client connects again by itself.
    public var isFollowedByReconnection: Bool {
        switch self {
        case .serverDisconnect, .clientDisconnect: false
        case .pingTimeout, .transportClose, .transportError, .parseError: true
        }
    }
}
