import CGLib
import CSoup
import GLibKit

/// A pending HTTP long-polling request, which the test answers.
@LoopActor
final class ScriptedRequest {
    let query: String
    let body: String
    private let message: ObjectRef
    private let onAnswer: () -> Void

    init(_ message: ObjectRef, onAnswer: @escaping () -> Void) {
        self.message = message
        self.onAnswer = onAnswer
        query =
            g_uri_get_query(soup_server_message_get_uri(message.opaque)).map { String(cString: $0) } ?? ""
        let bytes = soup_message_body_flatten(soup_server_message_get_request_body(message.opaque))
        var count: gsize = 0
        let start = g_bytes_get_data(bytes, &count)
        body = String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        g_bytes_unref(bytes)
        // If no status were set, libsoup would call the WebSocket handler.
        soup_server_message_set_status(message.opaque, 200, nil)
        soup_server_message_pause(message.opaque)
    }

    isolated deinit {}

    func answer(_ text: String, status: UInt32 = 200, type: String = "text/plain; charset=UTF-8") {
        onAnswer()
        soup_server_message_set_status(message.opaque, status, nil)
        soup_server_message_set_response(
            message.opaque,
            type,
            SOUP_MEMORY_COPY,
            text,
            gsize(text.utf8.count)
        )
        soup_server_message_unpause(message.opaque)
    }
}
