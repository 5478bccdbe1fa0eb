internal import Basics
internal import CGLib
internal import CSoup
package import GLibKit

/// A WebSocket connection (RFC 6455) on libsoup.
@LoopActor
package final class WebSocketConnection {
    package typealias Handler = @LoopActor @Sendable (WebSocketEvent) -> Void

    private let request: HTTPRequest
    private let subprotocols: [String]
    private let settings: HTTPSessionSettings
    private let onEvent: Handler
    private var connection: ObjectRef?
    private var unfinished: UnfinishedMessage?
    private var unsent: UnsentMessages?
    private var hasEnded = false

    /// Creates a connection that is not open yet.
    ///
    /// - Parameters:
    ///   - request: The `ws` or `wss` URL and the header fields of the request that opens the connection;
    ///     its limit is the maximum size of a received message in bytes.
    ///   - subprotocols: The subprotocols that the server may choose from.
    ///   - settings: The settings of the HTTP session that sends the request.
    ///   - onEvent: Called on the loop for each event, of which the last is `.closed`, `.failed` or
    ///     `.refused`.
    package nonisolated init(
        _ request: HTTPRequest,
        subprotocols: [String] = [],
        settings: HTTPSessionSettings,
        onEvent: @escaping Handler
    ) {
        (self.request, self.subprotocols) = (request, subprotocols)
        (self.settings, self.onEvent) = (settings, onEvent)
    }

    // The deinitializer runs on `LoopActor`, because libsoup's objects must be released on the thread that
    // uses them.
    isolated deinit {}

    /// Opens the connection; returns when it is open, or has failed.
    ///
    /// - Throws: `CancellationError`.
    package func open() async throws(CancellationError) {
        do {
            let session = try HTTPSession(settings)
            let message = try session.makeMessage(request)
            let onEvent = onEvent
            message.connect("wrote-headers") { [weak self] _ in
                LoopActor.assumeIsolated {
                    self?.limitMessages()
                    onEvent(.requested)
                }
            }
            do {
                try await session.openWebSocket(message, subprotocols: subprotocols) { opened in
                    // This is called immediately, because the server's first message may arrive before this task
                    // continues.
                    LoopActor.assumeIsolated { self.adopt(opened) }
                }
            } catch let error as GLibError {
                end(with: Self.event(error, of: message))
            }
        } catch let failure as HTTPFailure {
            end(with: .failed(failure))
        } catch {
            unfinished?.cancel()
            throw CancellationError()
        }
    }

    private static func event(_ error: GLibError, of message: ObjectRef) -> WebSocketEvent {
        let failure = HTTPFailure(error, of: message, idleLimit: .zero)
        guard case .status(let status) = failure else { return .failed(failure) }
        let headers = soup_message_get_response_headers(message.opaque)
        let type = soup_message_headers_get_content_type(headers, nil).map { String(cString: $0).streamSafe }
        return .refused(status: status, type: type)
    }

    /// Sends a text; it is lost if the connection is not open.
    ///
    /// If too much data is unsent because the server does not read, the connection fails with `HTTPFailure.unread`. The
    /// same applies to `send(_:)` with bytes.
    package func send(_ text: String) { send(Array(text.utf8), as: SOUP_WEBSOCKET_DATA_TEXT) }

    /// Sends bytes; they are lost if the connection is not open.
    package func send(_ bytes: [UInt8]) { send(bytes, as: SOUP_WEBSOCKET_DATA_BINARY) }

    private func send(_ bytes: [UInt8], as type: SoupWebsocketDataType) {
        guard let connection = openConnection, !hasEnded else { return }
        guard unsent?.add(bytes: bytes.count) ?? true else { return end(with: .failed(.unread)) }
        // Not send_text, which stops at the first NUL.
        let message = g_bytes_new(bytes, gsize(bytes.count))
        soup_websocket_connection_send_message(connection.opaque, type, message)
        g_bytes_unref(message)
    }

    /// The connection while messages can be sent; libsoup logs a critical error for each message after the
    /// close.
    private var openConnection: ObjectRef? {
        connection.flatMap {
            soup_websocket_connection_get_state($0.opaque) == SOUP_WEBSOCKET_STATE_OPEN ? $0 : nil
        }
    }

    /// Closes the connection after all messages have been sent; `.closed` follows.
    package func close(code: UInt16 = 1000, reason: String = "") {
        guard let connection = openConnection else { return }
        soup_websocket_connection_close(connection.opaque, code, reason.isEmpty ? nil : reason)
    }

    /// Sends a ping immediately and then every second until one is answered; `.pong` follows.
    package func ping() {
        guard let connection else { return }
        soup_websocket_connection_set_keepalive_interval(connection.opaque, 1)
        // libsoup sends pings only from a timer, which first fires after a second.
        let timer = callrunner_find_timeout(g_main_context_get_thread_default(), connection.pointer)
        if let timer { g_source_set_ready_time(timer, 0) }
    }

    /// The local addresses of the open and pending connections, as text.
    package var localAddresses: [String] { settings.links.localAddresses }

    /// The server's address as text; nil without a connection, and behind a proxy.
    package var serverAddress: String? { settings.links.hostAddress }

    // MARK: - Events

    private func adopt(_ opened: ObjectRef) {
        connection = opened
        guard unfinished?.excess == nil else { return end(with: .failed(.tooLarge(limit: request.limit))) }
        let limit = request.limit
        unsent = settings.links.open.map(UnsentMessages.init)
        // libsoup applies the limit to each frame; a message of several frames is checked on arrival, and by
        // `unfinished` until then.
        soup_websocket_connection_set_max_incoming_payload_size(opened.opaque, guint64(limit))
        listen(to: opened, limit: limit)
        let subprotocol = soup_websocket_connection_get_protocol(opened.opaque).map { String(cString: $0) }
        onEvent(.opened(subprotocol: subprotocol))
    }

    /// Limits the received messages before the server can send one.
    private func limitMessages() {
        unfinished?.cancel()
        let limit = UnfinishedMessage.limit(forMessagesUpTo: request.limit)
        unfinished = settings.links.open.map { UnfinishedMessage(on: $0, limit: limit) }
    }

    private func listen(to connection: ObjectRef, limit: Int) {
        connection.connect("message") { [weak self] arguments in
            let isText = arguments.int(1) == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue)
            let bytes = arguments.bytes(2)
            LoopActor.assumeIsolated { self?.handle(bytes, isText: isText) }
        }
        connection.connect("pong") { [weak self] arguments in
            if let connection = arguments.object(0) {
                soup_websocket_connection_set_keepalive_interval(connection.opaque, 0)
            }
            LoopActor.assumeIsolated { self?.report(.pong) }
        }
        connection.connect("error") { [weak self] arguments in
            let failure = HTTPFailure(onOpenWebSocket: arguments.error(1), limit: limit)
            // A server may cut the connection right after its close frame.
            let close = arguments.object(0).map { Self.closeEvent(of: $0) }
            if case .closed(.some, _)? = close, let close {
                LoopActor.assumeIsolated { self?.end(with: close) }
            } else {
                LoopActor.assumeIsolated { self?.end(with: .failed(failure)) }
            }
        }
        connection.connect("closed") { [weak self] arguments in
            guard let connection = arguments.object(0) else { return }
            let event = Self.closeEvent(of: connection)
            LoopActor.assumeIsolated { self?.end(with: event) }
        }
    }

    /// Returns the close event with the peer's close code and reason.
    private nonisolated static func closeEvent(of connection: ObjectRef) -> WebSocketEvent {
        // The peer's close code: 0 if it sent none, 1005 if its close frame was empty.
        let code = Int(soup_websocket_connection_get_close_code(connection.opaque))
        let reason = soup_websocket_connection_get_close_data(connection.opaque).map { String(cString: $0) }
        return .closed(code: code == 0 ? nil : code, reason: reason ?? "")
    }

    private func handle(_ bytes: [UInt8], isText: Bool) {
        unfinished?.complete()
        guard bytes.count <= request.limit else { return end(with: .failed(.tooLarge(limit: request.limit))) }
        report(isText ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes))
    }

    private func report(_ event: WebSocketEvent) { if !hasEnded { onEvent(event) } }

    private func end(with event: WebSocketEvent) {
        unfinished?.cancel()
        guard !hasEnded else { return }
        hasEnded = true
        if let failure = unfinished?.failure(limit: request.limit) { return onEvent(.failed(failure)) }
        // Otherwise the connection would stay open until its owner releases it.
        if case .failed(.tooLarge) = event { close(code: 1009) }
        onEvent(event)
    }
}
