internal import GLibKit
internal import SocketIO

/// One way of carrying Engine.IO packets: the seam between the protocol and WebSocket or polling.
@LoopActor
protocol Transport: Sendable {
    nonisolated var name: TransportName { get }

    /// What happens on it, in order; `.ended` is the last. Single consumer.
    nonisolated var events: AsyncStream<TransportEvent> { get }

    /// Connects, and works as long as it needs a task for that; whether it has connected, and its end,
    /// are events. Cancelling the task abandons it at once.
    func run() async

    /// Sends packets in order; what is sent before `.opened` or after `.ended` is lost.
    func send(_ packets: [EnginePacket])

    /// Closes after everything sent has left; `.ended` follows.
    func close()

    /// Asks the server for a sign of life, where this transport has a way; `.pong` follows.
    func ping()

    /// This machine's addresses of the connections that are open or under way, in text.
    var localAddresses: [String] { get }

    /// The server's address, in text; nil where there is no connection yet, or a proxy stands between.
    var serverAddress: String? { get }
}

/// What happens on a transport.
enum TransportEvent: Hashable, Sendable {
    /// A host took the connection; it may not have the request yet.
    case reached
    /// The server took the connection and has the request; it has not answered yet.
    case requested
    case opened
    case packet(EnginePacket)
    /// The server answered `ping()`.
    case pong
    /// No request is under way any more, as was asked for before an upgrade.
    case paused
    case ended(TransportEnd)
}

/// How a transport ended.
struct TransportEnd: Error, Hashable, Sendable {
    var reason: DisconnectReason
    var failure: SocketFailure
    /// Whether the server refused the client rather than the transport: no other one would do better.
    var refusesClient = false
}
