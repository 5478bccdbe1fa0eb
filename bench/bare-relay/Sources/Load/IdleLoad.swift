/// A load of client pairs that have joined their rooms and only answer pings.
final class IdleLoad {
    /// The maximum number of simultaneous joins, which fits into the backlog of any listening socket.
    private static let atATime = 64

    private let ports: [UInt16]
    private let poller = Poller()
    private var opened = 0
    private var joined = 0

    /// Creates the load; callers connect to the first port, callees to the last.
    init(to ports: [UInt16]) { self.ports = ports }

    /// Measures the servers' memory per connection, and their CPU usage with `count` idle connections.
    func measure(
        _ server: ServerProcesses,
        memoryAt sample: Int,
        count: Int,
        seconds: Double
    ) -> [(String, Double)] {
        let first = 20
        open(first)
        poller.run(seconds: 1)
        let before = server.residentBytesOfEach
        open(first + sample)
        poller.run(seconds: 1)
        let bytes = zip(server.residentBytesOfEach, before).map { Double($0 - $1) / Double(sample) }
        open(count)
        poller.run(seconds: 1)
        let cpu = server.cpuSeconds
        let start = now()
        poller.run(seconds: seconds)
        let elapsed = Double(now() - start) / 1e9
        let spent = server.cpuSeconds - cpu
        return [
            ("bytesPerConnection", bytes.reduce(0, +)), ("idleConnections", Double(poller.count)),
            ("idleCPUPercent", 100 * spent / elapsed),
        ] + bytes.enumerated().map { ("bytesPerConnectionOf\($0)", $1) }
    }

    private func open(_ count: Int) {
        poller.run {
            while opened < count, opened - joined < Self.atATime {
                let isCaller = opened % 2 == 0
                let port = isCaller ? ports[0] : ports[ports.count - 1]
                let connection = Connection(to: port, room: 1 + opened / 2, isCaller: isCaller, poller)
                opened += 1
                connection.didJoin = { [unowned self] _ in joined += 1 }
                connection.didClose = { _ in fail("the server has closed a connection") }
            }
            return joined == count
        }
    }
}
