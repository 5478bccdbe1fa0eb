internal import CGLib
internal import GLibKit

/// The TCP connections of one transport, from the moment at which each is begun.
@LoopActor
final class TCPLinks {
    private let onReached: @Sendable () -> Void
    /// `GSocketConnection`s, which are libsoup's to keep and to close.
    private var connections: [WeakObjectRef] = []

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
        case G_SOCKET_CLIENT_CONNECTED.rawValue: onReached()
        default: break
        }
    }

    /// This machine's addresses of the connections that are open or under way, in text.
    var localAddresses: [String] { connections.compactMap(\.object).compactMap(Self.localAddress) }

    private static func localAddress(of connection: ObjectRef) -> String? {
        let end = g_socket_connection_get_local_address(connection.cast(to: GSocketConnection.self), nil)
        guard let end else { return nil }
        let socketAddress = ObjectRef(taking: UnsafeMutableRawPointer(end))
        guard g_socket_address_get_family(end) != G_SOCKET_FAMILY_UNIX,
            let address = g_inet_socket_address_get_address(socketAddress.cast(to: GInetSocketAddress.self)),
            // Any: it has not been chosen yet.
            g_inet_address_get_is_any(address) == 0,
            let text = g_inet_address_to_string(address)
        else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }
}
