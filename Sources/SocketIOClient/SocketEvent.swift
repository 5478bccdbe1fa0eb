public import SocketIO

/// What becomes of a connection, and what arrives on it, in order.
public enum SocketEvent: Sendable {
    /// An attempt to connect begins; 1 for the first since the last connection.
    case connecting(attempt: Int)
    /// The namespace is joined; `transport` is `websocket` or `polling`.
    case connected(sid: String, transport: String)
    /// The connection goes on over a better transport.
    case upgraded(transport: String)
    /// An event of the server; `ack` where it asks for an acknowledgement.
    case event(name: String, arguments: [JSON], ack: SocketAck?)
    /// An event that waited for the connection was dropped: it is above the limit that the server has told
    /// (`maxPayload`).
    case undeliverable(name: String, bytes: Int, limit: Int)
    /// The connection ended; the next attempt follows after `retryIn`, or none where it is nil.
    ///
    /// Where the failure `isSilent`, the next attempt may follow at once: see `SocketConfiguration.backoff`.
    case disconnected(DisconnectReason, SocketFailure?, retryIn: Duration?)
    /// An attempt to connect failed; the next follows after `retryIn`.
    case connectFailed(SocketFailure, retryIn: Duration)
    /// The server refused the namespace (CONNECT_ERROR); no attempt follows but by `connect()`.
    case refused(message: String, data: JSON?)
}
