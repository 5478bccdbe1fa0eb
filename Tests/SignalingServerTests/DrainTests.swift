import Basics
import SignalingServer
import SocketIO
import Testing

@Suite("Draining", .timeLimit(.minutes(4)))
struct DrainTests {
    /// Runs `body` with Ann and Bob in a call while the server drains.
    private func whileDraining(
        _ body: (ListeningServer, TestPeer, TestPeer) async throws -> Void
    ) async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true, key: "k") { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    _ = try await ann.next()
                    try await withThrowingDiscardingTaskGroup { group in
                        group.addTask { await server.drain(within: .seconds(600)) }
                        let draining = SocketPacket.event("server_draining", [["retryIn": 600]])
                        try await ann.expect(draining)
                        try await bob.expect(draining)
                        try await body(server, ann, bob)
                        group.cancelAll()
                    }
                }
            }
        }
    }

    @Test("While a server drains, new clients are refused with a retry time, and a call continues")
    func newcomers() async throws {
        try await whileDraining { server, ann, bob in
            for room in [1, 2] {
                let query = "roomId=\(room)&username=Eve&isCaller=true"
                let reply = try await TestPeer.with(server, query: query) { try await $0.connect() }
                #expect(reply?.type == .connectError)
                #expect(reply?.payload?["message"] == "server_draining")
                let seconds = try #require(reply?.payload?["data"]?["retryAfter"]?.intValue)
                #expect((1...600).contains(seconds))
            }
            try await ann.send(.event("still"))
            try await bob.expect(.event("still"))
        }
    }

    @Test("While a server drains, a member of a call may rejoin the room")
    func comingBack() async throws {
        try await whileDraining { server, _, bob in
            try await TestPeer.with(server, as: "Ann", true, key: "k") { ann in
                try await ann.send(.event("back"))
                try await bob.expect(.event("back"))
            }
        }
    }

    @Test("Draining notifies each member once, and ends when all members have left")
    func everybodyLeft() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                async let once: Void = server.drain(within: .seconds(600))
                async let twice: Void = server.drain(within: .seconds(600))
                #expect(try await ann.next()?.eventName == "server_draining")
                try await ann.send(SocketPacket(type: .disconnect))
                _ = await (once, twice)
                try await ann.send(SocketPacket(type: .disconnect))
                try await ann.expect(nil)
            }
        }
    }

    @Test("Draining ends after its time limit even if members remain")
    func timeOver() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                await server.drain(within: .milliseconds(50))
                try await ann.expect(.event("server_draining", [["retryIn": 1]]))
                try await ann.isHeard()
            }
        }
    }

    @Test("Draining an empty server ends immediately", arguments: [Duration.seconds(600), .zero])
    func nobody(limit: Duration) async throws {
        try await withServer { server in await server.drain(within: limit) }
    }

    @Test("A cancelled drain ends immediately")
    func cancelled() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask { await server.drain(within: .seconds(600)) }
                    try await ann.expect(.event("server_draining", [["retryIn": 600]]))
                    group.cancelAll()
                }
            }
        }
    }
}
