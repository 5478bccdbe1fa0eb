import CGLib
import GLibKit
import SocketIOClient
import Testing

/// A TCP server that takes connections and answers each with the same bytes, whatever it is asked.
@LoopActor
final class RawServer {
    let port: UInt16
    private let listener: ObjectRef
    private var connections: [ObjectRef] = []
    /// One for each request that has been read.
    nonisolated let requests: AsyncStream<Void>
    private let newRequests: AsyncStream<Void>.Continuation

    init() throws {
        (requests, newRequests) = AsyncStream.makeStream()
        listener = ObjectRef(taking: UnsafeMutableRawPointer(g_socket_listener_new()))
        let listener = listener.cast(to: GSocketListener.self)
        port = try withGError { g_socket_listener_add_any_inet_port(listener, nil, $0) }
    }

    isolated deinit { g_socket_listener_close(listener.cast(to: GSocketListener.self)) }

    /// Answers connections until cancelled; with nil, says nothing and keeps them open.
    func answer(with text: String?) async throws {
        while !Task.isCancelled {
            let connection = try await accept()
            try await readRequest(of: connection)
            newRequests.yield()
            guard let text else {
                connections.append(connection)
                continue
            }
            let stream = UnsafeMutableRawPointer(connection.pointer).assumingMemoryBound(to: GIOStream.self)
            _ = try withGError {
                g_output_stream_write_all(
                    g_io_stream_get_output_stream(stream),
                    text,
                    gsize(text.utf8.count),
                    nil,
                    nil,
                    $0
                )
            }
            _ = try withGError { g_io_stream_close(stream, nil, $0) }
        }
    }

    /// Reads what has arrived; the client's request comes in one piece.
    private func readRequest(of connection: ObjectRef) async throws {
        let stream = UnsafeMutableRawPointer(connection.pointer).assumingMemoryBound(to: GIOStream.self)
        let input = ObjectRef(retaining: UnsafeMutableRawPointer(g_io_stream_get_input_stream(stream)))
        let handle = input.cast(to: GInputStream.self)
        let bytes = try await gio { cancellable, callback, data in
            g_input_stream_read_bytes_async(handle, 65536, 0, cancellable, callback, data)
        } finish: { result, error in
            g_input_stream_read_bytes_finish(input.cast(to: GInputStream.self), result, error)
                .map { Int(g_bytes_get_size($0)) } ?? 0
        }
        #expect(bytes > 0)
    }

    private func accept() async throws -> ObjectRef {
        let listener = listener
        let connection = try await gio { cancellable, callback, data in
            g_socket_listener_accept_async(
                listener.cast(to: GSocketListener.self),
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            g_socket_listener_accept_finish(listener.cast(to: GSocketListener.self), result, nil, error)
                .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
        }
        return try #require(connection)
    }
}
