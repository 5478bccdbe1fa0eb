import CallCore
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

/// Two members of a room, on a server with fault injection and a manual clock.
struct ChaosBench {
    let bench: EngineBench
    let ann: BenchSocket
    let bob: BenchSocket

    /// Runs a server whose profile injects only the faults that `configure` sets.
    static func with(
        seed: UInt64 = 1,
        _ configure: (inout ChaosProfile) -> Void = { _ in },
        _ body: (EngineBench) throws -> Void
    ) throws {
        var profile = ChaosProfile(text: "test")
        profile.delay = 300...300
        profile.closeDelay = 500...500
        configure(&profile)
        let chaos = ChaosConfiguration(profile: profile, seed: seed)
        try EngineBench.with(
            {
                $0.isConformanceServer = false
                $0.chaos = chaos
            },
            body
        )
    }

    /// Runs a server with these faults, and a caller and a callee in room 1 after their initial events.
    static func withPair(
        seed: UInt64 = 1,
        _ configure: (inout ChaosProfile) -> Void = { _ in },
        _ body: (ChaosBench) throws -> Void
    ) throws {
        try with(seed: seed, configure) { bench in
            let ann = try join(bench, "Ann", isCaller: true)
            let bob = try join(bench, "Bob", isCaller: false)
            _ = try ann.texts()
            _ = try bob.texts()
            try body(ChaosBench(bench: bench, ann: ann, bob: bob))
        }
    }

    /// Joins a room and reads the reply to CONNECT, but not the events that follow it.
    static func join(
        _ bench: EngineBench,
        _ name: String,
        isCaller: Bool,
        room: Int = 1
    ) throws -> BenchSocket {
        let query = "&roomId=\(room)&username=\(name)&isCaller=\(isCaller)"
        let (socket, _) = try BenchSocket.open(bench, path: "/socket.io/", query: query)
        try socket.send("40")
        guard case .text(let reply)? = try socket.next(), reply.hasPrefix("40{") else {
            throw TestFailure("not let in")
        }
        return socket
    }

    var faults: Tally<Fault> { bench.engine.counts.chaos ?? Tally() }

    func advance(by time: Duration) { bench.advance(by: time) }

    /// Sends one event from Ann for each number, with the number as its argument.
    func say(_ name: String, _ numbers: Range<Int>) throws {
        for number in numbers { try ann.send(#"42["\#(name)",\#(number)]"#) }
    }

    /// Reads the numbers of the events that Bob has received since the last call.
    func heard() throws -> [Int] {
        try bob.texts().compactMap { text in
            let number = text.drop { $0 != "," }.dropFirst().prefix { $0.isNumber }
            return Int(number)
        }
    }
}
