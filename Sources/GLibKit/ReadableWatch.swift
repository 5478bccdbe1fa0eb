internal import CGLib
internal import Glibc

/// A watch that calls a handler on the GLib loop while a connection has data to read; it does not read the
/// data.
@LoopActor
package final class ReadableWatch {
    private var source: UnsafeMutablePointer<GSource>?

    /// Calls `onReadable` whenever the `GSocketConnection` has data to read, until `cancel()`.
    ///
    /// The data must be read elsewhere; until then, the handler is called repeatedly.
    package init(_ connection: ObjectRef, onReadable: @escaping @LoopActor () -> Void) {
        let socket = g_socket_connection_get_socket(connection.cast(to: GSocketConnection.self))
        source = g_socket_create_source(socket, G_IO_IN, nil)
        let callback: GSocketSourceFunc = { _, _, data in
            // The handler is retained until the source's destroy notifier has run.
            let handler = Unmanaged<ReadableHandler>.fromOpaque(data!).takeUnretainedValue()
            LoopActor.assumeIsolated { handler.onReadable() }
            return 1
        }
        g_source_set_callback(
            source,
            // GLib calls the callback of a socket source as a `GSocketSourceFunc`, see
            // g_socket_create_source().
            unsafeBitCast(callback, to: GSourceFunc.self),
            Unmanaged.passRetained(ReadableHandler(onReadable)).toOpaque(),
            { Unmanaged<ReadableHandler>.fromOpaque($0!).release() }  // the pointer passed in the line above
        )
        g_source_attach(source, g_main_context_get_thread_default())
    }

    isolated deinit { cancel() }

    package func cancel() {
        guard let source else { return }
        self.source = nil
        g_source_destroy(source)
        g_source_unref(source)
    }
}

private final class ReadableHandler {
    let onReadable: @LoopActor () -> Void

    init(_ onReadable: @escaping @LoopActor () -> Void) { self.onReadable = onReadable }
}

extension ObjectRef {
    /// The number of bytes that were read from this `GSocketConnection` over TCP; nil if the kernel does not
    /// report it.
    package var bytesRead: Int? {
        guard let info = transmissionInfo else { return nil }
        let socket = g_socket_connection_get_socket(cast(to: GSocketConnection.self))
        let waiting = g_socket_get_available_bytes(socket)
        return waiting < 0 ? nil : Int(clamping: info[16]) - Int(waiting)
    }

    /// The number of bytes written to this `GSocketConnection` that the other end has received over TCP; nil if
    /// the kernel does not report it.
    package var bytesAcknowledged: Int? { transmissionInfo.map { Int(clamping: $0[15]) } }

    /// The part of linux/tcp.h's `struct tcp_info` up to `tcpi_bytes_acked` and `tcpi_bytes_received`, the last
    /// words.
    ///
    /// The struct in glibc is shorter.
    private var transmissionInfo: [UInt64]? {
        let socket = g_socket_connection_get_socket(cast(to: GSocketConnection.self))
        var info = [UInt64](repeating: 0, count: 17)
        let size = socklen_t(info.count * MemoryLayout<UInt64>.size)
        var length = size
        guard getsockopt(g_socket_get_fd(socket), Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0,
            length == size
        else { return nil }
        return info
    }
}
