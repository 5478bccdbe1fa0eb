import Basics
import CGLib
import CSoup
import GLibKit

/// The server's end of a WebSocket connection.
@LoopActor
final class ScriptedSocket {
    /// The query of the request that opened the WebSocket.
    let query: String
    private let connection: ObjectRef
    private let messages: AsyncStream<String>

    nonisolated init(_ connection: ObjectRef) {
        self.connection = connection
        query =
            g_uri_get_query(soup_websocket_connection_get_uri(connection.opaque)).map { String(cString: $0) }
            ?? ""
        soup_websocket_connection_set_max_incoming_payload_size(connection.opaque, 0)
        let (messages, messageSink) = AsyncStream.makeStream(of: String.self)
        self.messages = messages
        connection.connect("message") { arguments in
            let bytes = arguments.bytes(2)
            let isText = arguments.int(1) == Int32(SOUP_WEBSOCKET_DATA_TEXT.rawValue)
            messageSink.yield(isText ? String(decoding: bytes, as: UTF8.self) : "b" + Base64.encode(bytes))
        }
        connection.connect("closed") { arguments in
            let code = arguments.object(0).map { soup_websocket_connection_get_close_code($0.opaque) } ?? 0
            messageSink.yield("closed \(code)")
            messageSink.finish()
        }
    }

    isolated deinit {}

    /// Returns the next message: a text, or binary data as `b` and Base64.
    ///
    /// The last element is `closed` and the close code; then the method returns nil.
    func next() async -> String? { await messages.next() }

    func send(_ text: String) { send(Array(text.utf8), as: SOUP_WEBSOCKET_DATA_TEXT) }

    func send(_ bytes: [UInt8]) { send(bytes, as: SOUP_WEBSOCKET_DATA_BINARY) }

    private func send(_ bytes: [UInt8], as type: SoupWebsocketDataType) {
        guard soup_websocket_connection_get_state(connection.opaque) == SOUP_WEBSOCKET_STATE_OPEN else {
            return
        }
        let message = g_bytes_new(bytes, gsize(bytes.count))
        soup_websocket_connection_send_message(connection.opaque, type, message)
        g_bytes_unref(message)
    }

    func close(code: UInt16 = 1000) { soup_websocket_connection_close(connection.opaque, code, nil) }

    /// Closes the TCP connection without a close frame.
    func drop() {
        _ = try? withGError {
            g_io_stream_close(soup_websocket_connection_get_io_stream(connection.opaque), nil, $0)
        }
    }
}
