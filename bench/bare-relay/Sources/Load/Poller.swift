internal import CEpoll
internal import Glibc

/// An epoll instance that serves all connections of the load on one thread.
final class Poller {
    private let epoll = epoll_create1(0)
    private var events = [epoll_event](repeating: epoll_event(), count: 512)
    private var connections: [Connection?] = []
    private var free: [Int] = []
    /// The buffer into which all connections read, one after the other.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    /// The number of open connections.
    private(set) var count = 0

    func add(_ connection: Connection) {
        let index = free.popLast() ?? connections.count
        if index == connections.count { connections.append(nil) }
        connections[index] = connection
        connection.index = index
        count += 1
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, connection.descriptor, &event) == 0 else { fail("epoll_ctl") }
    }

    /// Removes a connection; must be called before its descriptor is closed.
    func remove(_ connection: Connection) {
        connections[connection.index] = nil
        free.append(connection.index)
        count -= 1
    }

    /// Serves the connections until `isDone`, which is called at least every 10 ms, returns true.
    func run(until isDone: () -> Bool) {
        while !isDone() {
            let ready = epoll_wait(epoll, &events, Int32(events.count), 10)
            if ready < 0, errno != EINTR { fail("epoll_wait: \(errno)") }
            for index in 0..<max(0, Int(ready)) { connections[Int(events[index].data.u64)]?.read() }
        }
    }

    func run(seconds: Double) {
        let end = now() + UInt64(seconds * 1e9)
        run { now() >= end }
    }
}
