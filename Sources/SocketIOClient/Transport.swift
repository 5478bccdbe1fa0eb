internal import GLibKit
internal import SocketIO

/// One way of carrying Engine.IO packets: the seam between the protocol and WebSocket or polling.
@LoopActor
protocol Transport: Sendable {
    /// The transport's name in Engine.IO, `websocket` or `polling`.
    nonisolated var name: String { get }

    /// What happens on it, in order; `.ended` is the last. Single consumer.
    nonisolated var events: AsyncStream<TransportEvent> { get }

    /// Connects; the outcome is `.opened` or `.ended`. Cancelling the task abandons the attempt.
    func open() async

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
    case ended(TransportEnd)
}

/// How a transport ended.
struct TransportEnd: Error, Hashable, Sendable {
    var reason: DisconnectReason
    var failure: SocketFailure
}
