internal import CGLib
internal import GLibKit

/// The TCP connections of one transport, from the moment at which each is begun.
@LoopActor
final class TCPLinks {
    private let onReached: @Sendable () -> Void
    /// `GSocketConnection`s, which are libsoup's to keep and to close.
    private var connections: [WeakObjectRef] = []
    /// The address of the host that took the last connection, in text; nil where a proxy stands between.
    private(set) var hostAddress: String?
    private var isProxied = false

    /// Calls `onReached` on the loop whenever a host has taken a connection.
    nonisolated init(onReached: @escaping @Sendable () -> Void) { self.onReached = onReached }

    /// Follows what connections a message is sent over.
    func watch(_ message: ObjectRef) {
        message.connect("network-event") { [weak self] arguments in
            guard let connection = arguments.object(2) else { return }
            let event = UInt32(bitPattern: arguments.enumeration(1))
            LoopActor.assumeIsolated { self?.hear(event, on: connection) }
        }
    }

    private func hear(_ event: UInt32, on connection: ObjectRef) {
        switch event {
        case G_SOCKET_CLIENT_CONNECTING.rawValue:
            connections.removeAll { $0.object == nil }
            connections.append(WeakObjectRef(connection))
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

    /// This machine's addresses of the connections that are open or under way, in text.
    var localAddresses: [String] { connections.compactMap(\.object).compactMap(Self.localAddress) }

    private static func localAddress(of connection: ObjectRef) -> String? {
        let end = g_socket_connection_get_local_address(connection.cast(to: GSocketConnection.self), nil)
        return address(end.map { ObjectRef(taking: UnsafeMutableRawPointer($0)) })
    }

    private static func address(_ end: ObjectRef?) -> String? {
        guard let end, g_socket_address_get_family(end.cast(to: GSocketAddress.self)) != G_SOCKET_FAMILY_UNIX,
            let address = g_inet_socket_address_get_address(end.cast(to: GInetSocketAddress.self)),
            // Any: it has not been chosen yet.
            g_inet_address_get_is_any(address) == 0,
            let text = g_inet_address_to_string(address)
        else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
