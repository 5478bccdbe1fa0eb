internal import CGLib
internal import Glibc

/// One connection of GIO: UDP, TCP, or TLS over TCP.
@LoopActor
package final class NetworkStream {
    package enum Transport: Hashable, Sendable {
        case udp, tcp
        case tls(TLSAuthorities)
    }

    /// What is read at a time, in bytes.
    private static let chunk = 16 << 10

    private let stream: ObjectRef

    nonisolated init(taking stream: ObjectRef) { self.stream = stream }

    /// Connects, in the clear and then over TLS where that is asked for, without any proxy.
    ///
    /// A certificate must be valid, of an authority that is trusted, and of `host`.
    ///
    /// - Parameters:
    ///   - host: a name or an address, IPv6 without brackets.
    ///   - port: 1…65535.
    ///   - transport: what carries the bytes.
    /// - Returns: the stream, once it is connected.
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
        return NetworkStream(taking: try await secured(connection, as: address, by: authorities))
    }

    private static func networkAddress(_ host: String, _ port: Int) throws -> ObjectRef {
        guard let port = UInt16(exactly: port), let address = g_network_address_new(host, port) else {
            throw GLibError(domain: "", code: 0, message: "\(host):\(port) is no address")
        }
        return ObjectRef(taking: UnsafeMutableRawPointer(address))
    }

    /// Media must not wait for more of it (TCP_NODELAY).
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

    /// What comes next: some bytes, or a whole datagram; empty at the end.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func read() async throws -> [UInt8] { try await input.read(atMost: Self.chunk) }

    /// Sends what fits in at once, which never waits.
    ///
    /// - Returns: how many bytes were taken; 0 where the stream takes none now, or no more at all.
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

    /// Sends all of `bytes`, of a datagram in one piece.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        let output = output
        while !rest.isEmpty {
            let chunk = rest.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
            defer { g_bytes_unref(chunk) }
            let written = try await gio { cancellable, callback, data in
                g_output_stream_write_bytes_async(
                    output.cast(to: GOutputStream.self),
                    chunk,
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                Int(g_output_stream_write_bytes_finish(output.cast(to: GOutputStream.self), result, error))
            }
            guard written > 0 else { throw GLibError(domain: "", code: 0, message: "nothing was sent") }
            rest = rest.dropFirst(written)
        }
    }

    /// Hands everything on, both ways, until either side ends or the task is cancelled; then both are closed.
    ///
    /// GIO moves the bytes on the loop: nothing of ours runs per packet.
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

    /// Begins to close; whoever is at the other end hears of it.
    package func close() {
        g_io_stream_close_async(stream.cast(to: GIOStream.self), G_PRIORITY_DEFAULT, nil, nil, nil)
    }
}
