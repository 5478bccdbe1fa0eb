internal import SocketIO

/// An input of the connection's state machine.
enum ConnectionInput: Hashable, Sendable {
    // From the user.
    case connect
    case disconnect
    /// Disconnects and never connects again.
    case finish

    // From a transport; events of an earlier session are ignored.
    case transport(TransportEvent, life: Int)

    /// An event of the WebSocket that replaces polling, before and after the replacement.
    case probe(TransportEvent, life: Int)

    // From a deadline; a stale one is ignored.
    case deadline(ConnectionDeadline, life: Int)

    /// The user suspects that the server is unreachable.
    case doubt

    /// This machine's network changed; `lostAddress` is the connection's own address if it is gone.
    case networkChanged(lostAddress: String?)

    /// Too many events are unread.
    case flooded
}

/// A deadline of a connection; each belongs to one session.
enum ConnectionDeadline: Hashable, Sendable {
    /// The limit of an attempt, which ends when the namespace is joined.
    case connect
    /// The time by which the server must send a ping.
    case heartbeat
    /// The time by which the server must have answered a liveness check.
    case signOfLife
    /// The limit of the upgrade to WebSocket.
    case upgrade
    /// The end of the wait before the next attempt.
    case retry
    /// The limit for the transport to close after DISCONNECT.
    case closing
}
