import CGLib
import CSoup
import GLibKit
import Testing

@testable import SoupKit

/// A server of libsoup on loopback whose responses are computed by the test.
@LoopActor
final class TestServer {
    struct Request: Sendable {
        let method: String
        let path: String
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    struct Response: Sendable {
        var status: UInt32 = 200
        var headers = HTTPHeaders()
        var body: [UInt8] = []
        var isChunked = false
        /// Whether the response is never sent.
        var isWithheld = false
    }

    nonisolated let port: UInt32
    private let server: ObjectRef

    nonisolated var url: String { "http://127.0.0.1:\(port)" }

    /// Starts a server on a free port: `/ws` accepts WebSocket connections with the subprotocols `one` and
    /// `two`, other paths are answered by `respond`.
    init(_ respond: @escaping @Sendable (Request) -> Response = { _ in Response() }) throws {
        let made = g_object_new_with_properties(soup_server_get_type(), 0, nil, nil)
        server = ObjectRef(taking: try #require(made))
        let handle = server.cast(to: SoupServer.self)
        soup_server_add_handler(
            handle,
            nil,
            { _, message, path, _, data in
                // libsoup passes its own message and path, and the pointer given below.
                let respond = Unmanaged<Responder>.fromOpaque(data!).takeUnretainedValue().respond
                TestServer.answer(message!, String(cString: path!), respond)
            },
            Unmanaged.passRetained(Responder(respond)).toOpaque(),
            { Unmanaged<Responder>.fromOpaque($0!).release() }  // the same pointer
        )
        var names = [g_strdup("one"), g_strdup("two"), nil]
        defer { for name in names { g_free(name) } }
        soup_server_add_websocket_handler(
            handle,
            "/ws",
            nil,
            &names,
            { _, _, _, connection, _ in
                // libsoup passes its own connection.
                LoopActor.assumeIsolated {
                    TestServer.echo(ObjectRef(retaining: UnsafeMutableRawPointer(connection!)))
                }
            },
            nil,
            nil
        )
        _ = try withGError { soup_server_listen_local(handle, 0, SoupServerListenOptions(0), $0) }
        let addresses = soup_server_get_uris(handle)
        defer { g_slist_free_full(addresses) { g_uri_unref(OpaquePointer($0)) } }
        port = UInt32(g_uri_get_port(OpaquePointer(try #require(addresses).pointee.data)))
    }

    isolated deinit { soup_server_disconnect(server.cast(to: SoupServer.self)) }

    /// Closes all connections and the port.
    func stop() { soup_server_disconnect(server.cast(to: SoupServer.self)) }

    private nonisolated static func answer(
        _ message: OpaquePointer,
        _ path: String,
        _ respond: (Request) -> Response
    ) {
        let bytes = soup_message_body_flatten(soup_server_message_get_request_body(message))
        var count: gsize = 0
        let start = g_bytes_get_data(bytes, &count)
        let response = respond(
            Request(
                method: String(cString: soup_server_message_get_method(message)),
                path: path,
                headers: HTTPHeaders(soup_server_message_get_request_headers(message)),
                body: Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
            )
        )
        g_bytes_unref(bytes)
        soup_server_message_set_status(message, response.status, nil)
        let headers = soup_server_message_get_response_headers(message)
        for field in response.headers.fields { soup_message_headers_append(headers, field.name, field.value) }
        if response.isWithheld { return soup_server_message_pause(message) }
        if response.isChunked { soup_message_headers_set_encoding(headers, SOUP_ENCODING_CHUNKED) }
        let body = soup_server_message_get_response_body(message)
        if !response.body.isEmpty {
            let content = g_bytes_new(response.body, gsize(response.body.count))
            soup_message_body_append_bytes(body, content)
            g_bytes_unref(content)
        }
        soup_message_body_complete(body)
    }

    /// Sends each message back; the text `close` closes the connection with the code 4001.
    private static func echo(_ connection: ObjectRef) {
        soup_websocket_connection_set_max_incoming_payload_size(connection.opaque, 0)
        connection.connect("message") { arguments in
            guard let connection = arguments.object(0) else { return }
            let bytes = arguments.bytes(2)
            guard bytes != Array("close".utf8) else {
                return soup_websocket_connection_close(connection.opaque, 4001, "as requested")
            }
            let type = SoupWebsocketDataType(UInt32(bitPattern: arguments.int(1)))
            let message = g_bytes_new(bytes, gsize(bytes.count))
            soup_websocket_connection_send_message(connection.opaque, type, message)
            g_bytes_unref(message)
        }
        // The server's only reference to the connection ends with it.
        let kept = connection
        connection.connect("closed") { _ in _ = kept }
    }
}

private final class Responder: Sendable {
    let respond: @Sendable (TestServer.Request) -> TestServer.Response

    init(_ respond: @escaping @Sendable (TestServer.Request) -> TestServer.Response) {
        self.respond = respond
    }
}
