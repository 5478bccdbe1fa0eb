internal import Glibc

/// Puts signaling servers under load and writes the measurements as one JSON object.
///
/// `load relay|join|idle PORT[,PORT…] PID[,PID…] SECONDS [COUNT [WINDOW]]`: COUNT is the number of pairs
/// (50), simultaneous joins (32), or connections (10000); WINDOW is the number of messages in transit per
/// pair (4). With several ports, callers use the first and callees the last; clients that only join use them
/// in turn.
@main
enum Load {
    static func main() {
        let arguments = CommandLine.arguments
        let lists = arguments.dropFirst(2).prefix(2).map { $0.split(separator: ",") }
        guard arguments.count >= 5, let seconds = Double(arguments[4]) else {
            fail("usage: load relay|join|idle PORT[,PORT…] PID[,PID…] SECONDS [COUNT [WINDOW]]")
        }
        let ports = lists[0].compactMap { UInt16($0) }
        guard !ports.isEmpty else { fail("no port: \(arguments[2])") }
        let server = ServerProcesses(lists[1].compactMap { Int($0) }.map(ServerProcess.init))
        let count = arguments.count > 5 ? Int(arguments[5]) : nil
        let window = arguments.count > 6 ? Int(arguments[6]) : nil
        switch arguments[1] {
        case "relay":
            let load = RelayLoad(to: ports, pairs: count ?? 50, window: window ?? 4)
            report(load.measure(server, warmUp: 1, seconds: seconds))
        case "join":
            report(JoinLoad(to: ports).measure(server, atATime: count ?? 32, seconds: seconds))
        case "idle":
            let count = count ?? 10_000
            let sample = min(2000, count - 20)
            report(IdleLoad(to: ports).measure(server, memoryAt: sample, count: count, seconds: seconds))
        default: fail("no such load: \(arguments[1])")
        }
    }

    private static func report(_ figures: [(String, Double)]) {
        print("{" + figures.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    }
}
