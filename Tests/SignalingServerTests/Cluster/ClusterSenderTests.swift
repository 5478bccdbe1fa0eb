import CallCore
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Who an event says it is from, among several servers", .enabled(if: RedisProcess.isInstalled))
struct ClusterSenderTests {
    private func dropped(_ bench: ClusterBench) async throws -> Int {
        try await bench.inside { $0.counts.eventsDropped[.forgedSender] }
    }

    @Test("The name of somebody on another server is not to be used here", .timeLimit(.minutes(1)))
    func remoteName() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.tellJoined(try Neighbour.member("Bob", .callee, sid: "b"))
                #expect(try await ann.told(bench.neighbour) == ["+Bob"])
                for name in ["Bob", "Ann"] { try await ann.send(.event("hangup", [["from": .string(name)]])) }
                // What is heard first is the second.
                let heard = try await bench.neighbour.hear {
                    if case .event("hangup", _) = $0 { true } else { false }
                }
                #expect(heard != .event("hangup", except: ""))
                #expect(try await dropped(bench) == 1)
            }
        }
    }

    @Test("What another server passes on under the name of somebody here is dropped", .timeLimit(.minutes(1)))
    func localName() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.tellJoined(try Neighbour.member("Bob", .callee, sid: "b"))
                #expect(try await ann.told(bench.neighbour) == ["+Bob"])
                for name in ["Ann", "Bob", "Nobody"] {
                    try await bench.neighbour.publish("hangup", ["from": .string(name)], except: ["b"])
                }
                for name in ["Bob", "Nobody"] {
                    try await ann.expect(.event("hangup", [["from": .string(name)]]))
                }
                #expect(try await dropped(bench) == 1)
            }
        }
    }
}
