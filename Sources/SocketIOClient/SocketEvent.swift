public import Basics

/// An event of the connection or of the server.
public enum SocketEvent: Sendable {
    /// An attempt to connect starts; `attempt` counts the attempts since the last connection, from 1.
    case connecting(attempt: Int)
    /// The namespace was joined; `transport` is `websocket` or `polling`.
    case connected(sid: String, transport: String)
    /// The connection was upgraded to another transport.
    case upgraded(transport: String)
    /// The server sent an event; `ack` is set if it requests an acknowledgement.
    case event(name: String, arguments: [JSON], ack: SocketAck?)
    /// A buffered event was dropped, because it exceeds the limit that the server announced (`maxPayload`).
    case undeliverable(name: String, bytes: Int, limit: Int)
    /// The connection ended; the next attempt starts after `retryIn`, or there is none if `retryIn` is nil.
    ///
    /// The failure is nil if the server or this client ended the connection with DISCONNECT. After a silent
    /// failure the next attempt may start immediately: see `SocketConfiguration.backoff`.
    case disconnected(DisconnectReason, SocketFailure?, retryIn: Duration?)
    /// An attempt to connect failed; the next one starts after `retryIn`.
    case connectFailed(SocketFailure, retryIn: Duration)
    /// The server refused the namespace (CONNECT_ERROR); only `connect()` starts another attempt.
    case refused(message: String, data: JSON?)
}
