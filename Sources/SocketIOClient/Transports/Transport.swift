internal import Basics
internal import GLibKit
internal import SocketIO

/// A transport of Engine.IO packets, which is either WebSocket or polling.
@LoopActor
protocol Transport: Sendable {
    nonisolated var name: TransportName { get }

    /// The events of the transport in order, for a single consumer; `.ended` is the last event.
    nonisolated var events: BoundedQueue<TransportEvent> { get }

    /// Connects, and returns when the transport no longer needs a task.
    ///
    /// The opening and the end of the transport are reported as events. Cancelling the task ends the
    /// transport immediately.
    func run() async

    /// Sends packets in order; packets before `.opened` or after `.ended` are lost.
    func send(_ packets: [EnginePacket])

    /// Closes the transport after all queued packets have been sent; then `.ended` is reported.
    func close()

    /// Checks that the server still responds, if the transport can do so; `.pong` reports the response.
    func ping()

    /// The local addresses of the open and pending connections, as text.
    var localAddresses: [String] { get }

    /// The server's address as text; nil without a connection, and behind a proxy.
    var serverAddress: String? { get }
}

/// An event of a transport.
enum TransportEvent: Hashable, Sendable {
    /// A host accepted the connection; the request may not have been sent yet.
    case reached
    /// The request was sent; the server has not answered yet.
    case requested
    case opened
    case packet(EnginePacket)
    /// The server answered `ping()`.
    case pong
    /// Polling has no request in progress any more, as required before an upgrade.
    case paused
    case ended(TransportEnd)
}

/// The end of a transport.
struct TransportEnd: Error, Hashable, Sendable {
    var reason: DisconnectReason
    var failure: SocketFailure
    /// Whether the server refused the client itself, and not only this transport; other transports would be
    /// refused, too.
    var refusesClient = false
}
