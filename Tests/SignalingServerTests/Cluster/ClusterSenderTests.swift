import Basics
import CallCore
import HTTPFront
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Sender names of events between servers", .enabled(if: RedisProcess.isInstalled))
struct ClusterSenderTests {
    private func dropped(_ bench: ClusterBench) async throws -> Int {
        try await bench.inside { $0.counts.eventsDropped[.forgedSender] }
    }

    @Test("An event sent under the name of a member on another server is dropped", .timeLimit(.minutes(4)))
    func remoteName() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.reportJoin(try Neighbour.member("Bob", .callee, sid: "b"))
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob"])
                for name in ["Bob", "Ann"] { try await ann.send(.event("hangup", [["from": .string(name)]])) }
                // The first event received is the second one sent.
                let heard = try await bench.neighbour.hear {
                    if case .event("hangup", _) = $0 { true } else { false }
                }
                #expect(heard != .event("hangup", except: ""))
                #expect(try await dropped(bench) == 1)
            }
        }
    }

    @Test("An event from another server under a local member's name is dropped", .timeLimit(.minutes(4)))
    func localName() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.reportJoin(try Neighbour.member("Bob", .callee, sid: "b"))
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob"])
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
