internal import CGLib
internal import Glibc

/// A GIO connection: UDP, TCP, or TLS over TCP.
@LoopActor
package final class NetworkStream {
    package enum Transport: Hashable, Sendable {
        case udp, tcp
        case tls(TLSAuthorities)
    }

    /// The maximum number of bytes per read.
    private static let chunk = 16 << 10

    private let stream: ObjectRef
    /// The TCP connection below TLS, or the stream itself.
    private let base: ObjectRef

    nonisolated init(taking stream: ObjectRef, over base: ObjectRef? = nil) {
        (self.stream, self.base) = (stream, base ?? stream)
    }

    /// Connects to a host without a proxy, over TLS if requested.
    ///
    /// The TLS certificate must be valid, issued by a trusted authority, and name `host`, except with
    /// `TLSAuthorities.anybody`.
    ///
    /// - Parameters:
    ///   - host: A name or an address, IPv6 without brackets.
    ///   - port: The port, 1…65535.
    ///   - transport: The transport protocol.
    /// - Returns: The connected stream.
    /// - Throws: `GLibError`, or `CancellationError`.
    package static func connect(
        to host: String,
        port: Int,
        over transport: Transport
    ) async throws -> NetworkStream {
        let client = ObjectRef(taking: g_socket_client_new())
        let handle = client.cast(to: GSocketClient.self)
        g_socket_client_set_enable_proxy(handle, 0)
        if transport == .udp {
            g_socket_client_set_socket_type(handle, G_SOCKET_TYPE_DATAGRAM)
            g_socket_client_set_protocol(handle, G_SOCKET_PROTOCOL_UDP)
        }
        let address = try networkAddress(host, port)
        let connection = try await gio { cancellable, callback, data in
            g_socket_client_connect_async(handle, address.opaque, cancellable, callback, data)
        } finish: { result, error in
            g_socket_client_connect_finish(client.cast(to: GSocketClient.self), result, error)
                .map { ObjectRef(taking: $0) }
        }
        guard let connection else { throw GLibError(domain: "", code: 0, message: "no connection") }
        if transport != .udp { sendAtOnce(connection) }
        guard case .tls(let authorities) = transport else { return NetworkStream(taking: connection) }
        return NetworkStream(
            taking: try await secured(connection, as: address, by: authorities),
            over: connection
        )
    }

    private static func networkAddress(_ host: String, _ port: Int) throws -> ObjectRef {
        guard let port = UInt16(exactly: port), let address = g_network_address_new(host, port) else {
            throw GLibError(domain: "", code: 0, message: "\(host):\(port) is not an address")
        }
        return ObjectRef(taking: UnsafeMutableRawPointer(address))
    }

    /// Sets TCP_NODELAY, because media must not wait until a segment is full.
    nonisolated static func sendAtOnce(_ connection: ObjectRef) {
        let socket = g_socket_connection_get_socket(connection.cast(to: GSocketConnection.self))
        g_socket_set_option(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1, nil)
    }

    private static func secured(
        _ connection: ObjectRef,
        as identity: ObjectRef,
        by authorities: TLSAuthorities
    ) async throws -> ObjectRef {
        let made = try withGError {
            g_tls_client_connection_new(connection.cast(to: GIOStream.self), identity.opaque, $0)
                .map(UnsafeMutableRawPointer.init)
        }
        guard let made else { throw GLibError(domain: "", code: 0, message: "no TLS") }
        let secured = ObjectRef(taking: made)
        let handle = secured.cast(to: GTlsConnection.self)
        switch authorities {
        case .system: break
        case .file(let path):
            let database = try TLSAuthorities.database(ofFile: path)
            g_tls_connection_set_database(handle, database.cast(to: GTlsDatabase.self))
        case .anybody: secured.connect("accept-certificate") { $0.returnBool(true) }
        }
        _ = try await gio { cancellable, callback, data in
            g_tls_connection_handshake_async(handle, G_PRIORITY_DEFAULT, cancellable, callback, data)
        } finish: { result, error in
            g_tls_connection_handshake_finish(secured.cast(to: GTlsConnection.self), result, error)
        }
        return secured
    }

    // MARK: Bytes

    private var input: ObjectRef {
        ObjectRef(retaining: g_io_stream_get_input_stream(stream.cast(to: GIOStream.self)))
    }

    private var output: ObjectRef {
        ObjectRef(retaining: g_io_stream_get_output_stream(stream.cast(to: GIOStream.self)))
    }

    /// Reads the next bytes or the next datagram, at most 16 KiB; empty at the end of the stream.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func read() async throws -> [UInt8] { try await input.read(atMost: Self.chunk) }

    /// Writes as many bytes as fit without waiting.
    ///
    /// - Returns: The number of bytes written; 0 if the stream is full or closed.
    package func writeNow(_ bytes: [UInt8]) -> Int {
        max(
            0,
            g_pollable_output_stream_write_nonblocking(
                output.opaque,
                bytes,
                gsize(bytes.count),
                nil,
                nil
            )
        )
    }

    /// Writes all of `bytes`; a datagram is sent in one piece.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func write(_ bytes: [UInt8]) async throws { try await output.write(bytes) }

    /// Forwards bytes between both streams until either ends or the task is cancelled, then closes both.
    ///
    /// GIO moves the bytes on the loop; no Swift code runs per packet.
    package func join(_ other: NetworkStream) async {
        let (mine, theirs) = ((input, output), (other.input, other.output))
        await withTaskGroup { group in
            group.addTask { await Self.splice(mine.0, into: theirs.1) }
            group.addTask { await Self.splice(theirs.0, into: mine.1) }
            await group.next()
            group.cancelAll()
        }
        close()
        other.close()
    }

    private static func splice(_ source: ObjectRef, into target: ObjectRef) async {
        _ = try? await gio { cancellable, callback, data in
            g_output_stream_splice_async(
                target.cast(to: GOutputStream.self),
                source.cast(to: GInputStream.self),
                G_OUTPUT_STREAM_SPLICE_NONE,
                G_PRIORITY_DEFAULT,
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            Int(g_output_stream_splice_finish(target.cast(to: GOutputStream.self), result, error))
        }
    }

    /// Aborts the connection; the remote end then reads an error instead of the end of the stream.
    package func reset() {
        let socket = g_socket_connection_get_socket(base.cast(to: GSocketConnection.self))
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            g_socket_get_fd(socket),
            SOL_SOCKET,
            SO_LINGER,
            &linger,
            socklen_t(MemoryLayout.size(ofValue: linger))
        )
        close()
    }

    /// Starts to close the connection; the remote end then reads the end of the stream.
    ///
    /// TLS sends no close_notify alert, because a remote end that does not read would delay closing.
    package func close() {
        g_io_stream_close_async(base.cast(to: GIOStream.self), G_PRIORITY_DEFAULT, nil, nil, nil)
    }
}
