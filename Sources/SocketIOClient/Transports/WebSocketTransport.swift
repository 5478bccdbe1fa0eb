internal import Basics
internal import GLibKit
internal import SocketIO
internal import SoupKit

/// Engine.IO over WebSocket.
@LoopActor
final class WebSocketTransport: Transport {
    nonisolated let name = TransportName.websocket
    nonisolated var events: BoundedQueue<TransportEvent> { inbox.events }

    private nonisolated let inbox: TransportInbox
    private let connection: WebSocketConnection

    /// Creates a transport to the configured server; `sid` is the session that it takes over from polling, or
    /// nil for a new one.
    nonisolated init(_ configuration: SocketConfiguration, sid: String? = nil) {
        let inbox = TransportInbox(maximumPayload: configuration.maximumPayload)
        self.inbox = inbox
        connection = WebSocketConnection(
            HTTPRequest(
                configuration.endpoint.url(of: .websocket, sid: sid),
                limit: configuration.maximumPayload
            ),
            settings: configuration.sessionSettings { LoopActor.assumeIsolated { inbox.add(.reached) } }
        ) { event in inbox.add(TransportEvent(event)) }
    }

    // The deinitializer runs on `LoopActor`, because libsoup's objects must be released on the thread that
    // uses them.
    isolated deinit {}

    func run() async {
        inbox.onExcess = { [weak connection] in connection?.close(code: 1008) }
        do { try await connection.open() } catch { inbox.finish() }
    }

    func send(_ packets: [EnginePacket]) {
        for packet in packets {
            switch packet {
            case .binary(let bytes): connection.send(bytes)
            default: connection.send(packet.text)
            }
        }
    }

    func close() { connection.close() }

    func ping() { connection.ping() }

    var localAddresses: [String] { connection.localAddresses }

    var serverAddress: String? { connection.serverAddress }
}

extension TransportEvent {
    fileprivate init(_ event: WebSocketEvent) {
        self =
            switch event {
            case .requested: .requested
            case .opened: .opened
            case .text(let text): Self.packet(in: text)
            case .binary(let bytes): .packet(.binary(bytes))
            case .pong: .pong
            case .closed(let code, _):
                .ended(TransportEnd(reason: .transportClose, failure: .closed(code: code)))
            case .failed(let failure):
                .ended(TransportEnd(reason: .transportError, failure: SocketFailure(failure)))
            case .refused(let status, let type):
                .ended(
                    TransportEnd(
                        reason: .transportError,
                        failure: SocketFailure(HTTPFailure.status(status)),
                        refusesClient: Self.refusesClient(status, type)
                    )
                )
            }
    }

    private static func packet(in text: String) -> TransportEvent {
        do { return .packet(try EnginePacket(text: text)) } catch {
            return .ended(TransportEnd(reason: .transportError, failure: .malformed("\(error)")))
        }
    }

    /// Checks whether a response refuses the client, and not only its WebSocket.
    ///
    /// A proxy that asks for authentication answers 401, and an Engine.IO server that refuses a client 403 with JSON.
    private static func refusesClient(_ status: Int, _ type: String?) -> Bool {
        // Proxies that block WebSocket answer 403 with a page.
        status == 401 || status == 403 && type == "application/json"
    }
}
