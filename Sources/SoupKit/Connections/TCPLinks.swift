internal import CGLib
internal import CSoup
package import GLibKit

/// The TCP connections of one session, tracked from the moment they start to connect.
@LoopActor
package final class TCPLinks {
    private let onReached: @Sendable () -> Void
    /// The `GSocketConnection`s, which libsoup owns and closes, each with the connection ID that libsoup gives to its
    /// messages.
    private var connections: [(number: guint64, reference: WeakObjectRef)] = []
    /// The address of the host that last accepted a connection, as text; nil before the first connection, and
    /// behind a proxy.
    package private(set) var hostAddress: String?
    private var isProxied = false

    /// Creates a tracker that calls `onReached` on `LoopActor` whenever a host accepts a connection.
    package nonisolated init(onReached: @escaping @Sendable () -> Void) { self.onReached = onReached }

    /// Tracks the TCP connections over which an HTTP message is sent.
    func watch(_ message: ObjectRef) {
        message.connect("network-event") { [weak self] arguments in
            guard let message = arguments.object(0), let connection = arguments.object(2) else { return }
            let event = UInt32(bitPattern: arguments.enumeration(1))
            let number = soup_message_get_connection_id(message.opaque)
            LoopActor.assumeIsolated { self?.handle(event, on: connection, number) }
        }
    }

    private func handle(_ event: UInt32, on connection: ObjectRef, _ number: guint64) {
        switch event {
        case G_SOCKET_CLIENT_CONNECTING.rawValue:
            connections.removeAll { $0.reference.object == nil }
            connections.append((number, WeakObjectRef(connection)))
            isProxied = isProxied || Self.leadsToProxy(connection)
        case G_SOCKET_CLIENT_PROXY_NEGOTIATING.rawValue: isProxied = true
        case G_SOCKET_CLIENT_CONNECTED.rawValue:
            hostAddress = isProxied ? nil : Self.address(Self.remoteEnd(of: connection))
            onReached()
        default: break
        }
    }

    private static func leadsToProxy(_ connection: ObjectRef) -> Bool {
        remoteEnd(of: connection).map {
            g_type_check_instance_is_a($0.cast(to: GTypeInstance.self), g_proxy_address_get_type()) != 0
        } ?? false
    }

    private static func remoteEnd(of connection: ObjectRef) -> ObjectRef? {
        g_socket_connection_get_remote_address(connection.cast(to: GSocketConnection.self), nil)
            .map { ObjectRef(taking: UnsafeMutableRawPointer($0)) }
    }

    /// The local addresses of the open and pending connections, as text.
    package var localAddresses: [String] {
        connections.compactMap(\.reference.object).compactMap(Self.localAddress)
    }

    /// The open `GSocketConnection`; nil if there is none.
    var open: ObjectRef? { connections.compactMap(\.reference.object).last(where: Self.isOpen) }

    /// Returns the open `GSocketConnection` over which an HTTP message is sent, also if it was opened for an earlier
    /// message; nil if there is none.
    func openConnection(of message: ObjectRef) -> ObjectRef? {
        let number = soup_message_get_connection_id(message.opaque)
        return connections.filter { $0.number == number }.compactMap(\.reference.object)
            .last(where: Self.isOpen)
    }

    private static func isOpen(_ connection: ObjectRef) -> Bool {
        g_socket_connection_is_connected(connection.cast(to: GSocketConnection.self)) != 0
    }

    private static func localAddress(of connection: ObjectRef) -> String? {
        let end = g_socket_connection_get_local_address(connection.cast(to: GSocketConnection.self), nil)
        return address(end.map { ObjectRef(taking: UnsafeMutableRawPointer($0)) })
    }

    private static func address(_ end: ObjectRef?) -> String? {
        guard let end, g_socket_address_get_family(end.cast(to: GSocketAddress.self)) != G_SOCKET_FAMILY_UNIX,
            let address = g_inet_socket_address_get_address(end.cast(to: GInetSocketAddress.self)),
            // The wildcard address means that no local address has been chosen yet.
            g_inet_address_get_is_any(address) == 0,
            let text = g_inet_address_to_string(address)
        else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
