internal import FrontParsers

/// A transport that carries the packets of an Engine.IO session.
protocol EngineTransport: AnyObject {
    /// The kind of the transport, as in the `transport` parameter of requests.
    var kind: TransportKind { get }

    /// Sends a packet; a closed transport drops it.
    func send(_ message: FramedMessage)

    /// Sends a ping, which the client answers with a pong.
    func sendPing()

    /// Sends the queued packets, then closes the transport.
    func close(_ reason: DisconnectReason)
}

/// The available transports of Engine.IO 4, by their names.
enum TransportKind: String, Sendable {
    case polling, websocket
}
