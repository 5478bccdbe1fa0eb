import FrontParsers

@testable import SignalingServer

/// A connection that sends every message back, as the official Engine.IO suite expects.
final class EchoConnection: EngineSessionDelegate {
    private let session: EngineSession

    init(_ session: EngineSession) { self.session = session }

    func session(didReceive message: FramedMessage) { session.send(message) }

    func sessionDidClose(_ reason: DisconnectReason) {}
}
