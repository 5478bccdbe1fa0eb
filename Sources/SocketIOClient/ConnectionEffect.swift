internal import SocketIO

/// What a connection's owner must do, in order.
enum ConnectionEffect: Hashable, Sendable {
    /// Begin a life: make a transport and open it.
    case open(life: Int)
    case send([EnginePacket])
    /// Close the transport after what was sent; the life goes on until it has.
    case close
    /// End the life at once: its transport and its deadlines.
    case abandon
    case startDeadline(ConnectionDeadline, life: Int, after: Duration)
    /// Tell the user.
    case report(ConnectionReport)
    /// An acknowledgement arrived.
    case resolveAck(Int, [JSON])
    /// The connection is lost, and with it every acknowledgement but those of events not yet sent.
    case failAcks(except: Set<Int>)
    /// Nothing will happen any more.
    case finish
}

/// What the user hears of, before it is bound to the connection.
enum ConnectionReport: Hashable, Sendable {
    case connecting(attempt: Int)
    case connected(sid: String)
    case event(name: String, arguments: [JSON], ackID: Int?, life: Int)
    case disconnected(DisconnectReason, SocketFailure?, retryIn: Duration?)
    case connectFailed(SocketFailure, retryIn: Duration)
    case refused(message: String, data: JSON?)
}
