internal import SocketIO

/// What a connection's owner must do, in order.
enum ConnectionEffect: Hashable, Sendable {
    /// Begin a life: make a transport and run it.
    case open(life: Int, over: TransportName)
    /// Send on the transport that carries the session.
    case send([EnginePacket])
    /// Ask the server for a sign of life.
    case ping
    /// Open a WebSocket beside polling, for the session with that id.
    case openProbe(sid: String)
    case sendOnProbe([EnginePacket])
    case dropProbe
    /// Let polling finish what runs and be silent until it is resumed or replaced.
    case pausePolling
    case resumePolling
    /// Let the probe carry the session, and end polling.
    case switchToProbe
    /// Close the transport after what was sent; the life goes on until it has.
    case close
    /// End the life at once: its transports and its deadlines.
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
    case upgraded
    case event(name: String, arguments: [JSON], ackID: Int?, life: Int)
    case undeliverable(name: String, bytes: Int, limit: Int)
    case disconnected(DisconnectReason, SocketFailure?, retryIn: Duration?)
    case connectFailed(SocketFailure, retryIn: Duration)
    case refused(message: String, data: JSON?)
}
