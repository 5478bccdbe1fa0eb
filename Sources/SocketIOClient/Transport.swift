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
}

/// What happens on a transport.
enum TransportEvent: Hashable, Sendable {
    /// The server took the connection and has the request; it has not answered yet.
    case requested
    case opened
    case packet(EnginePacket)
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
