/// What carries a session's packets.
protocol EngineTransport: AnyObject {
    /// The transport's name in the query.
    var kind: TransportKind { get }

    /// Sends a packet; one of a closed transport is dropped.
    func send(_ message: FramedMessage)

    /// Asks the client for a pong.
    func sendPing()

    /// Sends what is still to be sent, then closes.
    func close(_ reason: DisconnectReason)
}

/// The transports of Engine.IO 4 that are offered, by their names.
enum TransportKind: String, Sendable {
    case polling, websocket
}
