/// A carrier of a session's packets.
protocol EngineTransport: AnyObject {
    /// The transport's name in the query.
    var kind: TransportKind { get }

    /// Sends a packet; a closed transport drops it.
    func send(_ message: FramedMessage)

    /// Sends a ping, which the client answers with a pong.
    func sendPing()

    /// Sends what is still queued, then closes.
    func close(_ reason: DisconnectReason)
}

/// The available transports of Engine.IO 4, by their names.
enum TransportKind: String, Sendable {
    case polling, websocket
}
