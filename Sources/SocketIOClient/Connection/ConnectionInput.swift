internal import SocketIO

/// Everything that can happen to a connection.
enum ConnectionInput: Hashable, Sendable {
    // The user's.
    case connect
    case disconnect
    /// Disconnect, and never connect again.
    case finish

    // A transport's; those of an earlier life are ignored.
    case transport(TransportEvent, life: Int)

    /// What happens on the WebSocket that is to replace polling, and then has replaced it.
    case probe(TransportEvent, life: Int)

    // A deadline's; a stale one is ignored.
    case deadline(ConnectionDeadline, life: Int)

    /// Someone doubts that the server can still be heard.
    case doubt

    /// The network of this machine changed, and may have taken the connection's own address away.
    case networkChanged(lostAddress: String?)

    /// More events wait to be read than are allowed.
    case flooded
}

/// What a connection may wait for; each belongs to one life.
enum ConnectionDeadline: Hashable, Sendable {
    /// The attempt must have led to a joined namespace.
    case connect
    /// The server must have sent a ping.
    case heartbeat
    /// The server must have given the sign of life that it was asked for.
    case signOfLife
    /// The change to WebSocket must be complete.
    case upgrade
    /// The wait before the next attempt is over.
    case retry
    /// The transport must have closed after a farewell.
    case farewell
}
