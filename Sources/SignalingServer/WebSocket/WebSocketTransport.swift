internal import FrontParsers
internal import HTTPFront
internal import SocketIO

/// The WebSocket transport of an Engine.IO session, or a WebSocket that probes an upgrade of the session.
final class WebSocketTransport {
    let handler: WebSocketHandler
    private let session: EngineSession
    private let usesBase64: Bool

    init(session: EngineSession, engine: EngineServer, client: ClientAddress?, usesBase64: Bool) {
        self.session = session
        self.usesBase64 = usesBase64
        handler = WebSocketHandler(
            engine.front,
            with: client,
            maximumMessage: engine.configuration.maximumPayload
        )
    }

    /// Begins to receive; called after the connection has been upgraded.
    ///
    /// If it were called before and the upgrade failed, nothing would break the reference cycle.
    func begin() { handler.setDelegate(self) }
}

extension WebSocketTransport: EngineTransport {
    var kind: TransportKind { .websocket }

    func send(_ message: FramedMessage) { handler.send(usesBase64 ? message.asText : message) }

    func sendPing() { send(.ping) }

    func close(_ reason: DisconnectReason) {
        send(.close)
        handler.close(reason.closeCode)
    }

    /// Closes a WebSocket that does not carry the session, such as a failed probe.
    func closeProbe() { handler.close(1000) }
}

extension WebSocketTransport: WebSocketDelegate {
    func socketMayReceive(bytes count: Int) -> Bool { session.takeBytes(count) }

    func socket(didReceive message: FramedMessage) { session.receive(message, from: self) }

    func socketMayReceiveFrame() -> Bool { session.takeFrame() }

    func socketDidClose(_ end: WebSocketEnd) {
        let reason: DisconnectReason =
            switch end {
            case .connectionClosed: .transportClose
            case .failed: .transportError
            case .closed: .clientClose
            case .slowConsumer: .slowConsumer
            case .slowSender: .slowSender
            }
        session.transportDidClose(self, reason)
    }
}
