import Basics
import CGLib
import GLibKit
import SocketIOClient
import Testing

/// A TCP server that sends the same bytes in response to every request.
@LoopActor
final class RawServer {
    let port: UInt16
    private let listener: ObjectRef
    private var connections: [ObjectRef] = []
    /// A stream with one element for each request that has been read.
    nonisolated let requests: AsyncStream<Void>
    private let newRequests: AsyncStream<Void>.Continuation

    init() throws {
        (requests, newRequests) = AsyncStream.makeStream()
        listener = ObjectRef(taking: UnsafeMutableRawPointer(g_socket_listener_new()))
        let listener = listener.cast(to: GSocketListener.self)
        port = try withGError { g_socket_listener_add_any_inet_port(listener, nil, $0) }
    }

    isolated deinit { g_socket_listener_close(listener.cast(to: GSocketListener.self)) }

    /// Answers the first request of each connection and closes the connection, until the task is cancelled.
    ///
    /// If `text` is nil, the server sends nothing and keeps the connections open.
    func answer(with text: String?) async throws {
        while !Task.isCancelled {
            let connection = try await accept()
            try await readRequest(of: connection)
            newRequests.yield()
            guard let text else {
                connections.append(connection)
                continue
            }
            try write(Array(text.utf8), to: connection)
            _ = try withGError { g_io_stream_close(connection.cast(to: GIOStream.self), nil, $0) }
        }
    }

    /// Ends `requests`.
    func stop() { newRequests.finish() }

    /// Accepts a WebSocket, lets the client join its namespace, and then sends nothing.
    func welcomeInSilence(sid: String) async throws { connections.append(try await welcome(sid: sid)) }

    /// Accepts a WebSocket, lets the client join its namespace, and sends `size` bytes of a message without
    /// its final frame.
    func welcomeWithUnfinishedMessage(sid: String, of size: Int) async throws {
        let connection = try await welcome(sid: sid)
        connections.append(connection)
        try await send(Self.frame("42", first: 0x01), to: connection)
        let part = Self.frame(String(repeating: "x", count: 60_000), first: 0)
        for _ in 0..<(size / part.count) { try await send(part, to: connection) }
    }

    private func welcome(sid: String) async throws -> ObjectRef {
        let connection = try await accept()
        let key = try #require(
            try await readRequest(of: connection).split(separator: "\r\n").first {
                $0.hasPrefix("Sec-WebSocket-Key: ")
            }?
            .dropFirst("Sec-WebSocket-Key: ".count)
        )
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Self.accept(String(key)))\r\n\r\n"
        let frames = [handshake(), #"40{"sid":"\#(sid)"}"#].map { Self.frame($0) }
        try write(Array(answer.utf8) + frames.joined(), to: connection)
        return connection
    }

    /// Computes the `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
    private static func accept(_ key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        let checksum = g_checksum_new(G_CHECKSUM_SHA1)
        defer { g_checksum_free(checksum) }
        g_checksum_update(checksum, text, text.utf8.count)
        var count: gsize = 20
        let digest = [UInt8](unsafeUninitializedCapacity: 20) { buffer, length in
            g_checksum_get_digest(checksum, buffer.baseAddress, &count)
            length = Int(count)
        }
        return Base64.encode(digest)
    }

    /// Encodes a WebSocket frame of less than 64 KiB.
    ///
    /// Its first byte contains the FIN bit and the opcode.
    private static func frame(_ text: String, first: UInt8 = 0x81) -> [UInt8] {
        let count = text.utf8.count
        let length = count < 126 ? [UInt8(count)] : [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [first] + length + text.utf8
    }

    /// Writes the bytes asynchronously, so that the client can read them on the same main loop.
    private func send(_ bytes: [UInt8], to connection: ObjectRef) async throws {
        let output = ObjectRef(
            retaining: UnsafeMutableRawPointer(
                g_io_stream_get_output_stream(connection.cast(to: GIOStream.self))
            )
        )
        let part = g_bytes_new(bytes, gsize(bytes.count))
        defer { g_bytes_unref(part) }
        var sent = 0
        while sent < bytes.count {
            let rest = g_bytes_new_from_bytes(part, gsize(sent), gsize(bytes.count - sent))
            defer { g_bytes_unref(rest) }
            sent += try await gio { cancellable, callback, data in
                g_output_stream_write_bytes_async(
                    output.cast(to: GOutputStream.self),
                    rest,
                    0,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                g_output_stream_write_bytes_finish(output.cast(to: GOutputStream.self), result, error)
            }
        }
    }

    private func write(_ bytes: [UInt8], to connection: ObjectRef) throws {
        let output = g_io_stream_get_output_stream(connection.cast(to: GIOStream.self))
        _ = try withGError { g_output_stream_write_all(output, bytes, gsize(bytes.count), nil, nil, $0) }
    }

    /// Reads one request, which is expected to arrive in a single read of at most 64 KiB.
    @discardableResult
    private func readRequest(of connection: ObjectRef) async throws -> String {
        let stream = UnsafeMutableRawPointer(connection.pointer).assumingMemoryBound(to: GIOStream.self)
        let input = ObjectRef(retaining: UnsafeMutableRawPointer(g_io_stream_get_input_stream(stream)))
        let handle = input.cast(to: GInputStream.self)
        let text = try await gio { cancellable, callback, data in
            g_input_stream_read_bytes_async(handle, 65536, 0, cancellable, callback, data)
        } finish: { result, error in
            g_input_stream_read_bytes_finish(input.cast(to: GInputStream.self), result, error)
                .map(Self.text) ?? ""
        }
        #expect(!text.isEmpty)
        return text
    }

    private static func text(of bytes: OpaquePointer) -> String {
        var count: gsize = 0
        let start = g_bytes_get_data(bytes, &count)
        defer { g_bytes_unref(bytes) }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
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
