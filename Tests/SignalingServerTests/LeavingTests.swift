import Basics
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Leaving and returning", .timeLimit(.minutes(4)))
struct LeavingTests {
    private static let bobLeft = SocketPacket.event(
        "room_user_left",
        [["username": "Bob", "isCaller": false]]
    )
    private static let bobJoined = SocketPacket.event(
        "room_user_joined",
        [["username": "Bob", "roomId": 1, "isCaller": false]]
    )

    /// Runs `body` with Ann alone in room 1.
    private func withAnn(
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ListeningServer, TestPeer) async throws -> Void
    ) async throws {
        try await withServer(configure) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in try await body(server, ann) }
        }
    }

    @Test(
        "A member that sends DISCONNECT, a close packet or a close frame leaves at once",
        arguments: [(0x81, Array("41".utf8)), (0x81, Array("1".utf8)), (0x88, [0x03, 0xE8]), (0x88, [])]
            as [(UInt8, [UInt8])]
    )
    func deliberateLeave(opcode: UInt8, payload: [UInt8]) async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { bob in
                try await bob.socket.sendFrame(opcode, payload)
                try await ann.expect(Self.bobJoined)
                try await ann.expect(Self.bobLeft)
            }
        }
    }

    @Test("A member with a lost connection leaves only after the grace period", arguments: [nil, "k"])
    func lostConnection(key: String?) async throws {
        let grace = Duration.milliseconds(300)
        try await withAnn({ $0.grace = grace }) { server, ann in
            let clock = ContinuousClock()
            let start = try await TestPeer.with(server, as: "Bob", false, key: key) { _ in clock.now }
            try await ann.expect(Self.bobJoined)
            try await ann.expect(Self.bobLeft)
            #expect(clock.now - start >= grace)
        }
    }

    @Test("The number of members includes those whose connections are lost, until their grace period is over")
    func memberCount() throws {
        try EngineBench.with({
            $0.isConformanceServer = false
            $0.openRooms = true
            $0.grace = .seconds(2)
        }) { bench in
            let sockets = try ["Ann", "Bob", "Eve"].map { try BenchSocket.join(bench, $0) }
            #expect(bench.engine.counts.members == 3)
            sockets[0].line.cut()
            #expect(bench.engine.counts.members == 3)
            bench.advance(by: .seconds(3))
            #expect(bench.engine.counts.members == 2)
            try sockets[1].send("41")
            #expect(bench.engine.counts.members == 1)
        }
    }

    @Test("A client that returns with the same client key after a lost connection is not announced again")
    func keyAfterLoss() async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { _ in }
            try await TestPeer.with(server, as: "Bob", false, key: "k") { bob in
                try await bob.send(.event("back"))
                try await ann.expect(Self.bobJoined)
                try await ann.expect(.event("back"))
            }
        }
    }

    @Test("A client with the same client key replaces an open connection, and the old one is closed")
    func keyReplacesLiving() async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { old in
                try await TestPeer.with(server, as: "Bob", false, key: "k") { new in
                    try await old.expect(SocketPacket(type: .disconnect))
                    try await old.expect(nil)
                    try await new.send(.event("back"))
                    try await ann.expect(Self.bobJoined)
                    try await ann.expect(.event("back"))
                    try await ann.send(.event("hello"))
                    try await new.expect(.event("hello"))
                }
            }
        }
    }

    @Test(
        "A client that returns with another name is announced as left and joined",
        arguments: [true, false]
    )
    func keyOfOtherName(isLost: Bool) async throws {
        let rob = SocketPacket.event(
            "room_user_joined",
            [["username": "Rob", "roomId": 1, "isCaller": false]]
        )
        try await withAnn { server, ann in
            func returnAsRob() async throws {
                try await TestPeer.with(server, as: "Rob", false, key: "k") { _ in
                    for packet in [Self.bobJoined, Self.bobLeft, rob] { try await ann.expect(packet) }
                }
            }
            try await TestPeer.with(server, as: "Bob", false, key: "k") { bob in
                guard !isLost else { return }
                try await returnAsRob()
                try await bob.expect(SocketPacket(type: .disconnect))
            }
            if isLost { try await returnAsRob() }
        }
    }

    @Test("A member that returns with its client key receives the list of present members")
    func stateAfterReturn() async throws {
        try await withAnn { server, _ in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { _ in }
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                _ = try await bob.connect(["key": "k"])
                #expect(try await bob.next()?.eventName == "room_user_joined")
                #expect(try await bob.next()?.arguments.first?["peers"]?.arrayValue?.count == 1)
            }
        }
    }

    @Test(
        "An open connection is not replaced by a client with another client key",
        arguments: [nil, "other"]
    )
    func otherKey(key: String?) async throws {
        try await withAnn { server, _ in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { _ in
                try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { peer in
                    let reply = try await peer.connect(key.map { ["key": .string($0)] })
                    #expect(reply?.payload == ["message": "room_full"])
                }
            }
        }
    }

    @Test("A client with the same client key in another room or role is a different member")
    func keyElsewhere() async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { bob in
                try await ann.expect(Self.bobJoined)
                try await TestPeer.with(server, as: "Bob", false, room: 2, key: "k") { _ in }
                try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=true") { peer in
                    let reply = try await peer.connect(["key": "k"])
                    #expect(reply?.payload == ["message": "room_full"])
                }
                try await bob.send(.event("still"))
                try await ann.expect(.event("still"))
            }
        }
    }

    @Test("Another client may take the role of a disconnected member, after the departure is announced")
    func otherKeyAfterLoss() async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false, key: "k") { _ in }
            try await ann.expect(Self.bobJoined)
            try await joinWhenLost(server, "Eve", key: "other")
            try await ann.expect(Self.bobLeft)
            #expect(try await ann.next()?.arguments.first?["username"] == "Eve")
        }
    }

    @Test("A client without a client key may return under the same name, and is announced again")
    func keylessReturn() async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false) { _ in }
            try await joinWhenLost(server, "Bob", key: nil)
            try await ann.expect(Self.bobJoined)
            try await ann.expect(Self.bobJoined)
        }
    }

    /// Repeats the join until the server has noticed that the earlier callee's connection is lost.
    private func joinWhenLost(_ server: ListeningServer, _ name: String, key: String?) async throws {
        var reply: SocketPacket?
        while reply?.type != .connect {
            reply = try await TestPeer.with(server, query: "roomId=1&username=\(name)&isCaller=false") {
                peer in
                try await peer.connect(key.map { ["key": .string($0)] })
            }
        }
    }

    @Test("A client that has left may join again on the same connection")
    func rejoin() async throws {
        try await withAnn { server, ann in
            try await TestPeer.with(server, as: "Bob", false) { bob in
                try await bob.send(SocketPacket(type: .disconnect))
                #expect(try await bob.connect()?.type == .connect)
                try await ann.expect(Self.bobJoined)
                try await ann.expect(Self.bobLeft)
                try await ann.expect(Self.bobJoined)
            }
        }
    }
}
