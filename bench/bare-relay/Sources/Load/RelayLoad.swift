/// A load of client pairs that send candidates back and forth, with a fixed number in transit per pair.
final class RelayLoad {
    private final class Pair {
        let window: Int
        var joined = 0
        /// The sending times of the candidates in transit; the oldest one is at index `oldest`.
        var sent: [UInt64]
        var oldest = 0

        init(window: Int) {
            self.window = window
            sent = [UInt64](repeating: 0, count: window)
        }
    }

    private let poller = Poller()
    private var pairs: [Pair] = []
    private var connections: [Connection] = []
    private var isCounted = false
    private var relayed = 0
    private var roundTrips: [UInt32] = []

    /// Connects the pairs; callers connect to the first port, callees to the last.
    init(to ports: [UInt16], pairs count: Int, window: Int) {
        for room in 1...count {
            let pair = Pair(window: window)
            pairs.append(pair)
            let callee = Connection(to: ports[ports.count - 1], room: room, isCaller: false, poller)
            join(callee, to: pair)
            let caller = Connection(to: ports[0], room: room, isCaller: true, poller)
            join(caller, to: pair)
            callee.didReceiveCandidate = { [unowned self, unowned callee] in
                if isCounted { relayed += 1 }
                callee.queue(.candidate)
            }
            caller.didReceiveCandidate = { [unowned self, unowned caller] in
                let time = now()
                if isCounted {
                    relayed += 1
                    roundTrips.append(UInt32(clamping: time - pair.sent[pair.oldest]))
                }
                pair.sent[pair.oldest] = time
                pair.oldest = (pair.oldest + 1) % window
                caller.queue(.candidate)
            }
            connections += [callee, caller]
            poller.run { pair.joined == 2 }
        }
    }

    private func join(_ connection: Connection, to pair: Pair) {
        connection.didJoin = { _ in pair.joined += 1 }
        connection.didClose = { _ in fail("the server has closed a connection") }
    }

    /// Measures the load and the servers for `seconds`, after a warm-up of `warmUp` seconds.
    func measure(_ server: ServerProcesses, warmUp: Double, seconds: Double) -> [(String, Double)] {
        roundTrips.reserveCapacity(4_000_000)
        for (number, pair) in pairs.enumerated() {
            for index in 0..<pair.window {
                pair.sent[index] = now()
                connections[2 * number + 1].queue(.candidate)
            }
            connections[2 * number + 1].flush()
        }
        poller.run(seconds: warmUp)
        let cpu = server.cpuSecondsOfEach
        let start = now()
        isCounted = true
        poller.run(seconds: seconds)
        isCounted = false
        let elapsed = Double(now() - start) / 1e9
        let each = server.spent(since: cpu)
        let spent = each.reduce(0, +)
        guard relayed > 0 else { fail("nothing was relayed") }
        roundTrips.sort()
        return [
            ("messages", Double(relayed)), ("messagesPerSecond", Double(relayed) / elapsed),
            ("serverCPUSeconds", spent), ("cpuPerMessageMicroseconds", spent / Double(relayed) * 1e6),
            ("roundTripP50Microseconds", percentile(0.5)), ("roundTripP99Microseconds", percentile(0.99)),
        ] + server.named(each)
    }

    private func percentile(_ share: Double) -> Double {
        guard !roundTrips.isEmpty else { return 0 }
        return Double(roundTrips[Int(Double(roundTrips.count - 1) * share)]) / 1000
    }
}
