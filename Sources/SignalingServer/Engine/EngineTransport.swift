internal import FrontParsers

/// A transport that carries the packets of an Engine.IO session.
protocol EngineTransport: AnyObject {
    /// The kind of the transport, as in the `transport` parameter of requests.
    var kind: TransportKind { get }

    /// Sends a packet; a closed transport drops it.
    func send(_ message: FramedMessage)

    /// Sends a ping, which the client answers with a pong.
    func sendPing()

    /// Queues a final packet, and closes the transport once the queued packets are sent.
    ///
    /// Over polling they are sent only if a GET is waiting; otherwise they stay queued until the next GET or until
    /// the session is removed.
    func close(_ reason: DisconnectReason)
}

/// The available transports of Engine.IO 4, by their names.
enum TransportKind: String, Sendable {
    case polling, websocket
}
