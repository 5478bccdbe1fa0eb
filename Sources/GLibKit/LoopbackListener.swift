internal import CGLib
internal import Glibc

/// A TCP listener on the loopback interface that accepts only connections from this process.
@LoopActor
package final class LoopbackListener {
    /// The address family of the loopback interface.
    package enum Family: Sendable {
        case ipv4, ipv6

        fileprivate var raw: GSocketFamily { self == .ipv4 ? G_SOCKET_FAMILY_IPV4 : G_SOCKET_FAMILY_IPV6 }
    }

    /// The port number, chosen by the system.
    package let port: Int
    private let listener: ObjectRef
    private let family: Family

    /// Starts to listen; connections queue until they are accepted.
    ///
    /// - Throws: `GLibError`.
    package init(_ family: Family) throws {
        let listener = ObjectRef(taking: g_socket_listener_new())
        let loopback = ObjectRef(taking: g_inet_address_new_loopback(family.raw))
        let any = ObjectRef(taking: g_inet_socket_address_new(loopback.cast(to: GInetAddress.self), 0))
        var bound: UnsafeMutablePointer<GSocketAddress>?
        _ = try withGError {
            g_socket_listener_add_address(
                listener.cast(to: GSocketListener.self),
                any.cast(to: GSocketAddress.self),
                G_SOCKET_TYPE_STREAM,
                G_SOCKET_PROTOCOL_TCP,
                nil,
                &bound,
                $0
            )
        }
        guard let bound else { throw GLibError(domain: "", code: 0, message: "no port is free") }
        port = Self.port(of: ObjectRef(taking: bound))
        (self.listener, self.family) = (listener, family)
    }

    isolated deinit { g_socket_listener_close(listener.cast(to: GSocketListener.self)) }

    /// Waits for the next connection from this process; connections from other processes are closed.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    package func accept() async throws -> NetworkStream {
        while true {
            let connection = try await listener.accept()
            let stream = NetworkStream(taking: connection)
            guard let remote = Self.end(of: connection, g_socket_connection_get_remote_address),
                let local = Self.end(of: connection, g_socket_connection_get_local_address),
                LoopbackSockets.isOurs(remote, connectedTo: local)
            else {
                stream.close()
                continue
            }
            NetworkStream.sendAtOnce(connection)
            return stream
        }
    }

    private typealias AddressGetter = (
        UnsafeMutablePointer<GSocketConnection>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> UnsafeMutablePointer<GSocketAddress>?

    /// Returns the remote or local end of a connection; nil if it is no longer connected.
    private static func end(of connection: ObjectRef, _ get: AddressGetter) -> SocketEndpoint? {
        let handle = connection.cast(to: GSocketConnection.self)
        return (try? withGError { get(handle, $0) }).flatMap(\.self)
            .flatMap { SocketEndpoint(ObjectRef(taking: $0)) }
    }

    private static func port(of address: ObjectRef) -> Int {
        Int(g_inet_socket_address_get_port(address.cast(to: GInetSocketAddress.self)))
    }
}

extension ObjectRef {
    /// Waits for the next connection to this `GSocketListener`.
    ///
    /// - Throws: `GLibError`, or `CancellationError`.
    @LoopActor
    func accept() async throws -> ObjectRef {
        let connection = try await gio { cancellable, callback, data in
            g_socket_listener_accept_async(
                self.cast(to: GSocketListener.self),
                cancellable,
                callback,
                data
            )
        } finish: { result, error in
            let handle = self.cast(to: GSocketListener.self)
            return g_socket_listener_accept_finish(handle, result, nil, error).map { ObjectRef(taking: $0) }
        }
        guard let connection else { throw GLibError(domain: "", code: 0, message: "no connection") }
        return connection
    }
}
