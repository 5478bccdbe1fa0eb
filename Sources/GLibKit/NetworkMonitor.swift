internal import CGLib
internal import Glibc

/// The changes of this machine's network: links, addresses and routes that come and go.
///
/// Each iteration hears what happens after `makeAsyncIterator()`; changes within 50 ms of each other are
/// one. It ends where the task is cancelled, or where the system tells nobody of its network.
///
/// The kernel is asked directly (rtnetlink(7)), because GIO's monitor tells of routes alone: an address
/// may go and the default route stay.
package struct NetworkMonitor: AsyncSequence, Sendable {
    package struct AsyncIterator: AsyncIteratorProtocol {
        private var socket: RouteSocket?

        fileprivate init() { socket = RouteSocket() }

        /// Waits for a change, and until it has settled; nil at the end.
        package mutating func next() async -> Void? {
            guard let socket, await socket.hearsChange() else {
                socket = nil
                return nil
            }
            return ()
        }
    }

    package init() {}

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

/// A netlink socket that hears of links, addresses and routes.
private struct RouteSocket: Sendable {
    /// Moving from one network to another is a burst of messages.
    private static let settling: Duration = .milliseconds(50)
    /// The kernel's messages are smaller than a page; what they say is not read.
    private static let bufferSize = 16 << 10

    private let connection: ObjectRef

    /// Nil where the system has no such socket for us.
    init?() {
        let descriptor = socket(
            AF_NETLINK,
            Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            NETLINK_ROUTE
        )
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = [
            RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_ROUTE,
        ].reduce(0) { $0 | UInt32($1) }
        let isBound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) == 0
            }
        }
        guard isBound, let socket = g_socket_new_from_fd(descriptor, nil) else {
            close(descriptor)
            return nil
        }
        defer { g_object_unref(socket) }
        guard let connection = g_socket_connection_factory_create_connection(socket) else { return nil }
        self.connection = ObjectRef(taking: UnsafeMutableRawPointer(connection))
    }

    /// Waits for a change; false where the task is cancelled or the socket of no more use.
    @LoopActor
    func hearsChange() async -> Bool {
        do {
            guard try await hears() else { return false }
            try await ContinuousClock().sleep(for: Self.settling)
        } catch {
            return false
        }
        drain()
        return true
    }

    @LoopActor private var input: ObjectRef {
        ObjectRef(
            retaining: UnsafeMutableRawPointer(
                g_io_stream_get_input_stream(connection.cast(to: GIOStream.self))
            )
        )
    }

    /// Waits for a message; false at the end.
    @LoopActor
    private func hears() async throws -> Bool {
        let input = input
        do {
            return try await gio { cancellable, callback, data in
                g_input_stream_read_bytes_async(
                    input.cast(to: GInputStream.self),
                    gsize(Self.bufferSize),
                    G_PRIORITY_DEFAULT,
                    cancellable,
                    callback,
                    data
                )
            } finish: { result, error in
                let bytes = g_input_stream_read_bytes_finish(input.cast(to: GInputStream.self), result, error)
                defer { g_bytes_unref(bytes) }
                return bytes.map { g_bytes_get_size($0) > 0 } ?? false
            }
        } catch is GLibError {
            // ENOBUFS: more happened than the socket could hold, and that is a change.
            return true
        }
    }

    /// Forgets the messages that belong to a change already heard of.
    @LoopActor
    private func drain() {
        let input = input
        withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 1) { buffer in
            while g_pollable_input_stream_read_nonblocking(
                input.opaque,
                buffer.baseAddress,
                gsize(buffer.count),
                nil,
                nil
            ) > 0 {}
        }
    }
}
