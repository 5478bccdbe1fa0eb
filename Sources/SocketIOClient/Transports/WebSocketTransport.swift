internal import CGLib
internal import CSoup
internal import GLibKit
internal import SocketIO

/// Engine.IO over WebSocket, on libsoup.
@LoopActor
final class WebSocketTransport: Transport {
    nonisolated let name = TransportName.websocket
    nonisolated let events: AsyncStream<TransportEvent>

    private let eventSink: AsyncStream<TransportEvent>.Continuation
    private let request: WebSocketRequest
    private let maximumPayload: Int
    private var connection: ObjectRef?
    private var unfinished: UnfinishedMessage?

    /// Creates a transport to the configured server; `sid` is the session to take over from polling, if any.
    nonisolated init(_ configuration: SocketConfiguration, sid: String? = nil) {
        (events, eventSink) = AsyncStream.makeStream(of: TransportEvent.self)
        request = WebSocketRequest(
            url: configuration.endpoint.url(of: .websocket, sid: sid),
            settings: configuration.sessionSettings { [eventSink] in eventSink.yield(.reached) }
        )
        maximumPayload = configuration.maximumPayload
    }

    // The deinitializer runs on `LoopActor`, because libsoup's objects must be released on the thread that
    // uses them.
    isolated deinit {}

    func run() async {
        do {
            try await request.send(onRequested: { [eventSink] in eventSink.yield(.requested) }) { opened in
                // The connection is adopted in this callback, because the first packet may arrive before this
                // task continues.
                LoopActor.assumeIsolated { self.adopt(opened) }
            }
        } catch is CancellationError {
            eventSink.finish()
        } catch let end as TransportEnd {
            eventSink.yield(.ended(end))
            eventSink.finish()
        } catch {
            eventSink.yield(.ended(TransportEnd(reason: .transportError, failure: SocketFailure(error))))
            eventSink.finish()
        }
    }

    private func adopt(_ opened: ObjectRef) {
        connection = opened
        unfinished = request.settings.links.open.map { limit(on: $0) }
        Self.listen(to: opened, unfinished, maximumPayload: maximumPayload, eventSink: eventSink)
        eventSink.yield(.opened)
    }

    private func limit(on link: ObjectRef) -> UnfinishedMessage {
        let limit = maximumPayload
        return UnfinishedMessage(on: link, limit: UnfinishedMessage.limit(forMessagesUpTo: limit)) {
            [eventSink] in
            let failure = SocketFailure.messageTooLarge(limit: limit)
            eventSink.yield(.ended(TransportEnd(reason: .transportError, failure: failure)))
            eventSink.finish()
        }
    }

    func send(_ packets: [EnginePacket]) {
        for packet in packets {
            // libsoup logs a critical error for each message after the close.
            guard let connection,
                soup_websocket_connection_get_state(connection.opaque) == SOUP_WEBSOCKET_STATE_OPEN
            else { return }
            switch packet {
            case .binary(let bytes): send(bytes, as: SOUP_WEBSOCKET_DATA_BINARY, on: connection)
            default: send(Array(packet.text.utf8), as: SOUP_WEBSOCKET_DATA_TEXT, on: connection)
            }
        }
    }

    private func send(_ bytes: [UInt8], as type: SoupWebsocketDataType, on connection: ObjectRef) {
        // `send_message` is used instead of `send_text`, which stops at the first NUL.
        let message = g_bytes_new(bytes, gsize(bytes.count))
        soup_websocket_connection_send_message(connection.opaque, type, message)
        g_bytes_unref(message)
    }

    func close() {
        guard let connection else { return }
        guard soup_websocket_connection_get_state(connection.opaque) == SOUP_WEBSOCKET_STATE_OPEN else {
            return
        }
        soup_websocket_connection_close(connection.opaque, UInt16(SOUP_WEBSOCKET_CLOSE_NORMAL.rawValue), nil)
    }

    var localAddresses: [String] { request.settings.links.localAddresses }

    var serverAddress: String? { request.settings.links.hostAddress }

    /// Sends a ping at once and then every second until one is answered.
    func ping() {
        guard let connection else { return }
        soup_websocket_connection_set_keepalive_interval(connection.opaque, 1)
        // libsoup sends pings only from a timer, which would first fire after a second.
        let timer = callrunner_find_timeout(g_main_context_get_thread_default(), connection.pointer)
        if let timer { g_source_set_ready_time(timer, 0) }
    }

    private static func listen(
        to connection: ObjectRef,
        _ unfinished: UnfinishedMessage?,
        maximumPayload: Int,
        eventSink: AsyncStream<TransportEvent>.Continuation
    ) {
        // libsoup checks only the size of each frame. A message of several frames is checked by `unfinished`
        // while it arrives, and here when it is complete.
        soup_websocket_connection_set_max_incoming_payload_size(connection.opaque, guint64(maximumPayload))
        connection.connect("message") { arguments in
            LoopActor.assumeIsolated { unfinished?.complete() }
            let isText = arguments.int(1) == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue)
            let event = Self.event(arguments.bytes(2), isText: isText, limit: maximumPayload)
            eventSink.yield(event)
            if case .ended = event { eventSink.finish() }
        }
        connection.connect("pong") { arguments in
            if let connection = arguments.object(0) {
                soup_websocket_connection_set_keepalive_interval(connection.opaque, 0)
            }
            eventSink.yield(.pong)
        }
        connection.connect("error") { arguments in
            LoopActor.assumeIsolated { unfinished?.cancel() }
            eventSink.yield(.ended(Self.end(arguments.error(1), limit: maximumPayload)))
            eventSink.finish()
        }
        connection.connect("closed") { arguments in
            LoopActor.assumeIsolated { unfinished?.cancel() }
            // The peer's close code: 0 if it sent none, 1005 if its close frame was empty.
            let code = arguments.object(0).map { soup_websocket_connection_get_close_code($0.opaque) } ?? 0
            let failure = SocketFailure.closed(code: code == 0 ? nil : Int(code))
            eventSink.yield(.ended(TransportEnd(reason: .transportClose, failure: failure)))
            eventSink.finish()
        }
    }

    private nonisolated static func event(_ bytes: [UInt8], isText: Bool, limit: Int) -> TransportEvent {
        guard bytes.count <= limit else {
            return .ended(TransportEnd(reason: .transportError, failure: .messageTooLarge(limit: limit)))
        }
        guard isText else { return .packet(.binary(bytes)) }
        do {
            return .packet(try EnginePacket(text: String(decoding: bytes, as: UTF8.self)))
        } catch {
            return .ended(TransportEnd(reason: .transportError, failure: .malformed("\(error)")))
        }
    }

    private nonisolated static func end(_ error: GLibError?, limit: Int) -> TransportEnd {
        let isTooLarge =
            error?.domain == "soup-websocket-error-quark"
            && error?.code == Int(SOUP_WEBSOCKET_CLOSE_TOO_BIG.rawValue)
        let failure: SocketFailure =
            if isTooLarge {
                .messageTooLarge(limit: limit)
            } else if let error, error.isSilence {
                .unreachable(error.message)
            } else {
                .broken(error?.message ?? "the connection broke")
            }
        return TransportEnd(reason: .transportError, failure: failure)
    }
}
