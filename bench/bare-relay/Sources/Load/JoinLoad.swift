/// A load of clients that join separate rooms and leave immediately; a new client replaces each of them.
final class JoinLoad {
    private let ports: [UInt16]
    private let poller = Poller()
    private var isOver = false
    private var nextRoom = 1
    private var joins = 0

    init(to ports: [UInt16]) { self.ports = ports }

    func measure(_ server: ServerProcesses, atATime count: Int, seconds: Double) -> [(String, Double)] {
        for _ in 0..<count { start() }
        poller.run(seconds: 0.5)
        joins = 0
        let cpu = server.cpuSecondsOfEach
        let start = now()
        poller.run(seconds: seconds)
        let (counted, elapsed) = (joins, Double(now() - start) / 1e9)
        let each = server.spent(since: cpu)
        isOver = true
        poller.run { poller.count == 0 }
        return [
            ("joinsPerSecond", Double(counted) / elapsed),
            ("cpuPerJoinMicroseconds", each.reduce(0, +) / Double(max(1, counted)) * 1e6),
            ("joins", Double(counted)),
        ] + server.named(each)
    }

    private func start() {
        let connection = Connection(to: ports[nextRoom % ports.count], room: nextRoom, isCaller: true, poller)
        nextRoom += 1
        connection.didJoin = { [unowned self] connection in
            joins += 1
            connection.leave()
        }
        connection.didClose = { [unowned self] _ in if !isOver { start() } }
    }
}
