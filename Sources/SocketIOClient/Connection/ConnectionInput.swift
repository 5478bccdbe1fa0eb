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

    /// An event of the WebSocket to which polling is upgraded, both before and after the upgrade.
    case probe(TransportEvent, life: Int)

    // From a deadline; a deadline of an earlier session is ignored.
    case deadline(ConnectionDeadline, life: Int)

    /// The user suspects that the server is unreachable.
    case doubt

    /// The network of this host changed; `lostAddress` is the local address of the connection if it no longer
    /// exists.
    case networkChanged(lostAddress: String?)

    /// Too many received events have not been read.
    case flooded
}

/// A deadline of a connection; every deadline belongs to one session.
enum ConnectionDeadline: Hashable, Sendable {
    /// The time limit of an attempt, which lasts until the namespace is joined.
    case connect
    /// The time by which the server must send a ping.
    case heartbeat
    /// The time by which the server must have answered a liveness check.
    case signOfLife
    /// The time limit of the upgrade to WebSocket.
    case upgrade
    /// The end of the wait before the next attempt.
    case retry
    /// The time limit for closing the transport after DISCONNECT.
    case closing
}
