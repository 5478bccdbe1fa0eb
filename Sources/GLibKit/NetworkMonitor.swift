internal import CGLib
internal import Glibc

/// A sequence of notifications about changes of this host's network links, addresses and routes.
///
/// Each iterator reports the changes since its creation; changes within 50 ms of the first one are reported
/// together. The sequence ends when the task is cancelled, or if the system provides no such notifications.
///
/// It reads from the kernel directly (rtnetlink(7)), because GIO's monitor reports only routes: an address
/// may disappear while the default route remains.
package struct NetworkMonitor: AsyncSequence, Sendable {
    package struct AsyncIterator: AsyncIteratorProtocol {
        private var socket: RouteSocket?

        fileprivate init() { socket = RouteSocket() }

        /// Waits for a change, and then 50 ms for further ones; nil at the end of the sequence.
        package mutating func next() async -> Void? {
            guard let socket, await socket.waitForChange() else {
                socket = nil
                return nil
            }
            return ()
        }
    }

    package init() {}

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}

/// A netlink socket that receives the changes of links, addresses and routes.
private struct RouteSocket: Sendable {
    /// The time after the first message in which further messages count as the same change.
    ///
    /// Moving from one network to another causes a burst of messages.
    private static let settling: Duration = .milliseconds(50)
    /// The read size in bytes; the kernel's messages are smaller than a page, and their contents are ignored.
    private static let bufferSize = 16 << 10

    private let connection: ObjectRef

    /// Opens the socket; nil if the system refuses.
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
        _ = GIOTypes.areRegistered
        guard isBound, let socket = g_socket_new_from_fd(descriptor, nil) else {
            close(descriptor)
            return nil
        }
        defer { g_object_unref(socket) }
        guard let connection = g_socket_connection_factory_create_connection(socket) else { return nil }
        self.connection = ObjectRef(taking: UnsafeMutableRawPointer(connection))
    }

    /// Waits for a change; false if the task is cancelled or the socket has become unusable.
    @LoopActor
    func waitForChange() async -> Bool {
        do {
            guard try await waitForMessage() else { return false }
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

    /// Waits for a message; false at the end of the stream.
    @LoopActor
    private func waitForMessage() async throws -> Bool {
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
            // ENOBUFS: the socket's buffer overflowed, so there were changes.
            return true
        }
    }

    /// Discards the queued messages of a change that has been reported.
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
