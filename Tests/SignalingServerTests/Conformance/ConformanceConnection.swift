import Basics
import FrontParsers
import NIOCore
import SocketIO

@testable import SignalingServer

/// The server side of a connection, with the behavior that the official Socket.IO test suite expects.
///
/// It has the namespaces `/` and `/custom`, which send `auth` to each client that joins. In `/`, `message` is
/// answered with `message-back`, and `message-with-ack` is acknowledged, each with its own arguments.
final class ConformanceConnection {
    private let session: EngineSession
    private var decoder = SocketDecoder()
    private var namespaces: Set<String> = []

    init(_ session: EngineSession) { self.session = session }

    private func receive(_ packet: SocketPacket) {
        let namespace = packet.namespace
        switch packet.type {
        case .connect where !namespaces.contains(namespace): connect(packet)
        case .disconnect where namespaces.contains(namespace): namespaces.remove(namespace)
        case .event where namespaces.contains(namespace), .binaryEvent where namespaces.contains(namespace):
            answer(packet)
        case .ack where namespaces.contains(namespace), .binaryAck where namespaces.contains(namespace): break
        case .connect, .disconnect, .event, .binaryEvent, .ack, .binaryAck, .connectError:
            session.close(.forcedServerClose)
        }
    }

    private func connect(_ packet: SocketPacket) {
        let namespace = packet.namespace
        guard namespace == "/" || namespace == "/custom" else {
            let payload: JSON = ["message": "Invalid namespace"]
            return send(SocketPacket(type: .connectError, namespace: namespace, payload: payload))
        }
        namespaces.insert(namespace)
        session.didJoin()
        let sid = JSON.string(SessionID.random().text)
        send(SocketPacket(type: .connect, namespace: namespace, payload: ["sid": sid]))
        send(.event("auth", [packet.payload ?? [:]], namespace: namespace))
    }

    private func answer(_ packet: SocketPacket) {
        guard packet.namespace == "/" else { return }
        switch (packet.eventName, packet.ackID) {
        case ("message", _): send(.event("message-back", packet.arguments))
        case ("message-with-ack", let id?): send(.ack(id, packet.arguments))
        case (_, _): break
        }
    }

    private func send(_ packet: SocketPacket) {
        for packet in packet.enginePackets { session.send(FramedMessage(packet)) }
    }
}

extension ConformanceConnection: EngineSessionDelegate {
    func session(didReceive message: FramedMessage) {
        let payload = message.payload.readableBytesView
        do throws(SocketParseError) {
            let packet =
                message.isText
                ? try decoder.decode(text: String(decoding: payload.dropFirst(), as: UTF8.self))
                : try decoder.decode(attachment: Array(payload))
            if let packet { receive(packet) }
        } catch {
            session.close(.parseError)
        }
    }

    func sessionDidClose(_ reason: DisconnectReason) {}
}
