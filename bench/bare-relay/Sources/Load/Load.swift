internal import Glibc

/// Puts a signaling server under load and writes what it measured as one JSON object.
///
/// `load relay|join|idle PORT PID SECONDS [COUNT]`: COUNT pairs (50), joins at a time (32), or
/// connections (10000).
@main
enum Load {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let port = UInt16(arguments[2]), let pid = Int(arguments[3]),
            let seconds = Double(arguments[4])
        else { fail("usage: load relay|join|idle PORT PID SECONDS [COUNT]") }
        let server = ServerProcess(pid: pid)
        let count = arguments.count > 5 ? Int(arguments[5]) : nil
        switch arguments[1] {
        case "relay":
            let load = RelayLoad(to: port, pairs: count ?? 50, window: 4)
            report(load.measure(server, warmUp: 1, seconds: seconds))
        case "join":
            report(JoinLoad(to: port).measure(server, atATime: count ?? 32, seconds: seconds))
        case "idle":
            let count = count ?? 10_000
            let sample = min(2000, count - 20)
            report(IdleLoad(to: port).measure(server, memoryAt: sample, count: count, seconds: seconds))
        default: fail("no such load: \(arguments[1])")
        }
    }

    private static func report(_ figures: [(String, Double)]) {
        print("{" + figures.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    }
}
