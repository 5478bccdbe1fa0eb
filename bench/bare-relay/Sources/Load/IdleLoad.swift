/// Pairs that have joined and do nothing but answer pings.
final class IdleLoad {
    /// Joining at a time, so that no listening socket's queue is too short for them.
    private static let atATime = 64

    private let port: UInt16
    private let poller = Poller()
    private var opened = 0
    private var joined = 0

    init(to port: UInt16) { self.port = port }

    /// What a connection takes of the server's memory, and what it takes to keep `count` of them.
    func measure(
        _ server: ServerProcess,
        memoryAt sample: Int,
        count: Int,
        seconds: Double
    ) -> [(String, Double)] {
        let first = 20
        open(first)
        poller.run(seconds: 1)
        let before = server.residentBytes
        open(first + sample)
        poller.run(seconds: 1)
        let bytes = Double(server.residentBytes - before) / Double(sample)
        open(count)
        poller.run(seconds: 1)
        let cpu = server.cpuSeconds
        let start = now()
        poller.run(seconds: seconds)
        let elapsed = Double(now() - start) / 1e9
        let spent = server.cpuSeconds - cpu
        return [
            ("bytesPerConnection", bytes), ("idleConnections", Double(poller.count)),
            ("idleCPUPercent", 100 * spent / elapsed),
        ]
    }

    private func open(_ count: Int) {
        poller.run {
            while opened < count, opened - joined < Self.atATime {
                let connection = Connection(
                    to: port,
                    room: 1 + opened / 2,
                    isCaller: opened % 2 == 0,
                    poller
                )
                opened += 1
                connection.didJoin = { [unowned self] _ in joined += 1 }
                connection.didClose = { _ in fail("the server has closed a connection") }
            }
            return joined == count
        }
    }
}
