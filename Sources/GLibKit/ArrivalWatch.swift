internal import CGLib
internal import Glibc
internal import Synchronization

/// A watch that calls a handler when data arrives at a connection; it does not read the data.
///
/// The handler runs on a separate thread: libsoup reads until no data is left, so a server that sends without pause
/// would block the GLib loop.
package final class ArrivalWatch: Sendable {
    /// A duplicate of the connection's descriptor, which is closed only here, and the number of the watch at
    /// `ArrivalThread`; nil after `cancel()`, or if the connection was closed before.
    private let watched: Mutex<(descriptor: Int32, number: UInt64)?>

    /// Calls `onArrival` whenever data arrives at the `GSocketConnection`, until `cancel()` is called.
    ///
    /// - Parameters:
    ///   - connection: the connection, which is read elsewhere.
    ///   - onArrival: the handler; returns whether it is to be called again after at most a second, even if no data
    ///     arrives.
    package init(_ connection: ObjectRef, onArrival: @escaping @Sendable () -> Bool) {
        let socket = g_socket_connection_get_socket(connection.cast(to: GSocketConnection.self))
        let descriptor = fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0)
        let isOpen = descriptor >= 0
        watched = Mutex(isOpen ? (descriptor, ArrivalThread.shared.watch(descriptor, onArrival)) : nil)
    }

    deinit { cancel() }

    /// The numbers of bytes that were read from the connection, and that are waiting to be read; nil if the kernel does
    /// not report them.
    package var bytes: (read: Int, waiting: Int)? {
        watched.withLock { watched in
            var waiting: Int32 = 0
            guard let descriptor = watched?.descriptor, ioctl(descriptor, UInt(FIONREAD), &waiting) == 0,
                let info = transmissionInfo(of: descriptor)
            else { return nil }
            return (Int(clamping: info[16]) - Int(waiting), Int(waiting))
        }
    }

    /// Stops calling the handler; a last call may still be running on the other thread.
    package func cancel() {
        watched.withLock { watched in
            guard let (descriptor, number) = watched else { return }
            watched = nil
            ArrivalThread.shared.forget(number, descriptor)
            // While this duplicate is open, the connection is not closed.
            close(descriptor)
        }
    }

    /// Aborts the connection and discards the data that has arrived; the reader gets an error.
    package func breakOff() {
        watched.withLock { watched in
            guard let descriptor = watched?.descriptor else { return }
            var nowhere = sockaddr()
            nowhere.sa_family = sa_family_t(AF_UNSPEC)
            connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        }
    }
}

/// The thread of all watches, which waits for events of their connections.
private final class ArrivalThread: Sendable {
    static let shared = ArrivalThread()
    private let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let handlers = Mutex<(next: UInt64, all: [UInt64: @Sendable () -> Bool])>((0, [:]))

    private init() {
        GLibThread.start("arrivals") { self.run() }
    }

    func watch(_ descriptor: Int32, _ handler: @escaping @Sendable () -> Bool) -> UInt64 {
        let number = handlers.withLock { handlers in
            handlers.next += 1
            handlers.all[handlers.next] = handler
            return handlers.next
        }
        // With EPOLLET, new data is reported once, even while it remains unread.
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        var event = epoll_event(events: events, data: epoll_data_t(u64: number))
        epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
        return number
    }

    func forget(_ number: UInt64, _ descriptor: Int32) {
        _ = handlers.withLock { $0.all.removeValue(forKey: number) }
        epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    }

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 16)
        var waiting: Set<UInt64> = []
        while true {
            let count = epoll_wait(poll, &events, Int32(events.count), waiting.isEmpty ? -1 : 1000)
            guard count >= 0 || errno == EINTR else { return }
            let due = waiting.union(events.prefix(Int(max(0, count))).map(\.data.u64))
            waiting = due.filter { number in handlers.withLock { $0.all[number] }?() ?? false }
        }
    }
}

extension ObjectRef {
    /// The number of bytes written to this `GSocketConnection` that the other end has received over TCP; nil if
    /// the kernel does not report it.
    package var bytesAcknowledged: Int? {
        let socket = g_socket_connection_get_socket(cast(to: GSocketConnection.self))
        return transmissionInfo(of: g_socket_get_fd(socket)).map { Int(clamping: $0[15]) }
    }
}

/// Reads the part of linux/tcp.h's `struct tcp_info` up to `tcpi_bytes_acked` and `tcpi_bytes_received`, the last
/// words; nil if the kernel does not report it.
///
/// The struct in glibc is shorter.
private func transmissionInfo(of descriptor: Int32) -> [UInt64]? {
    var info = [UInt64](repeating: 0, count: 17)
    let size = socklen_t(info.count * MemoryLayout<UInt64>.size)
    var length = size
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length == size else {
        return nil
    }
    return info
}
