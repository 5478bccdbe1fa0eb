import Basics
import CallCore
import HTTPFront
import NIOCore
import SocketIO
import Testing

@testable import SignalingServer

@Suite("Room token authorization", .timeLimit(.minutes(4)))
struct AuthorizationTests {
    private static let expiry = 4_102_444_800

    private func withServer(
        turn: TURNCredentials? = nil,
        _ body: (ListeningServer, TokenKey) async throws -> Void
    ) async throws {
        let key = try await TokenKey(Array(SampleKeys.secret.utf8))
        try await SignalingServerTests.withServer({
            $0.tokenKey = key
            $0.turn = turn
        }) { server in
            try await body(server, key)
        }
    }

    private func token(
        _ key: TokenKey,
        room: Int = 1,
        name: String? = nil,
        role: Role? = nil,
        expiry: Int = expiry
    ) async throws -> String {
        let username = try name.map { try Username($0) }
        return try await key.sign(
            RoomToken(room: try RoomID(room), username: username, role: role, expiry: expiry)
        )
    }

    /// Joins room 1 as Bob, the callee, and returns the server's answer.
    private func reply(_ server: ListeningServer, _ auth: JSON?) async throws -> SocketPacket? {
        try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
            try await bob.connect(auth)
        }
    }

    private static func refusal(_ reason: String, _ claim: String?) -> JSON {
        var data: JSONObject = ["reason": .string(reason)]
        data["claim"] = claim.map(JSON.string)
        return ["message": "not_authorized", "data": .object(data)]
    }

    @Test("A client with a token for a role may send only the events of that role")
    func parts() async throws {
        try await withServer { server, key in
            let (offer, answer) = (SocketPacket.event("offer", [[:]]), SocketPacket.event("answer", [[:]]))
            func with(_ name: String, _ role: Role, _ body: (TestPeer) async throws -> Void) async throws {
                let query = "roomId=1&username=\(name)&isCaller=\(role == .caller)"
                let token = try await token(key, role: role)
                try await TestPeer.with(server, query: query) { peer in
                    #expect(try await peer.connect(["token": .string(token)])?.type == .connect)
                    try await peer.skip(to: "room_state")
                    try await body(peer)
                }
            }
            try await with("Ann", .caller) { ann in
                try await with("Bob", .callee) { bob in
                    try await ann.skip(to: "room_user_joined")
                    for packet in [offer, .event("offer", [[:]], ackID: 1), answer] {
                        try await bob.send(packet)
                    }
                    try await ann.expect(answer)
                    for packet in [answer, offer] { try await ann.send(packet) }
                    try await bob.expect(offer)
                    #expect(try await server.counts.eventsDropped[.otherRole] == 3)
                }
            }
        }
    }

    @Test("The server stores a token's subject with the member that joins", arguments: ["b", nil])
    func subject(subject: String?) async throws {
        try await withServer { server, key in
            let token = try await key.sign(
                RoomToken(
                    room: try RoomID(1),
                    username: nil,
                    role: nil,
                    expiry: Self.expiry,
                    subject: subject
                )
            )
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                #expect(try await bob.connect(["token": .string(token)])?.type == .connect)
                let known = try await server.signaling.eventLoop.submit { [signaling = server.signaling] in
                    signaling.value.engine.rooms.allMembers.map(\.request.subject)
                }.get()
                #expect(known == [subject])
            }
        }
    }

    @Test(
        "A client with a valid token may join",
        arguments: [(nil, nil), ("Bob", Role.callee)] as [(String?, Role?)]
    )
    func admitted(name: String?, role: Role?) async throws {
        try await withServer { server, key in
            let token = try await token(key, name: name, role: role)
            #expect(try await reply(server, ["token": .string(token)])?.type == .connect)
        }
    }

    @Test(
        "A join without a token is refused",
        arguments: [nil, [:], ["token": nil], ["token": 5]] as [JSON?]
    )
    func missing(auth: JSON?) async throws {
        try await withServer { server, _ in
            let reply = try await reply(server, auth)
            #expect(reply?.type == .connectError)
            #expect(reply?.payload == Self.refusal("this server requires a room token", nil))
        }
    }

    @Test(
        "A refusal names the claim that does not match the join or has expired",
        arguments: [
            (2, nil, nil, expiry, "room"), (1, "Ann", nil, expiry, "name"),
            (1, "Bob", .caller, expiry, "role"),
            (1, "bob", .callee, expiry, "name"), (1, nil, nil, 1_000_000_000, "exp"),
        ] as [(Int, String?, Role?, Int, String)]
    )
    func mismatch(room: Int, name: String?, role: Role?, expiry: Int, claim: String) async throws {
        try await withServer { server, key in
            let token = try await token(key, room: room, name: name, role: role, expiry: expiry)
            let payload = try await reply(server, ["token": .string(token)])?.payload
            #expect(payload?["message"] == "not_authorized")
            #expect(payload?["data"]?["claim"]?.stringValue == claim)
        }
    }

    @Test("A forged token does not reveal whether a role is taken")
    func forged() async throws {
        try await withServer { server, key in
            let token = try await token(key)
            try await TestPeer.with(server, query: "roomId=1&username=Rob&isCaller=false") { rob in
                #expect(try await rob.connect(["token": .string(token)])?.type == .connect)
                let reply = try await reply(server, ["token": .string(token.dropLast(4) + "AAAA")])
                #expect(
                    reply?.payload == Self.refusal("the token was not signed with this server's key", nil)
                )
                #expect(
                    try await self.reply(server, ["token": .string(token)])?.payload == [
                        "message": "role_taken"
                    ]
                )
            }
        }
    }

    @Test("TURN credentials expire no later than the token")
    func turn() async throws {
        let turn = TURNCredentials(urls: ["turn:a"], secret: [1], timeToLive: .seconds(86_400))
        try await withServer(turn: turn) { server, key in
            let token = try await token(key, expiry: WallClock.seconds + 3600)
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                _ = try await bob.connect(["token": .string(token)])
                let reported = try #require(try await bob.next())
                #expect(reported.eventName == "ice_servers")
                #expect((1...3600).contains(try #require(reported.arguments.first?["ttl"]?.intValue)))
            }
        }
    }

    @Test("A refused client may join on the same connection with a valid token")
    func secondTry() async throws {
        try await withServer { server, key in
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                #expect(try await bob.connect()?.type == .connectError)
                let token = try await token(key)
                #expect(try await bob.connect(["token": .string(token)])?.type == .connect)
            }
        }
    }

    @Test("Messages received while the token is checked are relayed in order afterwards")
    func order() async throws {
        try await withServer { server, key in
            let token = try await token(key)
            let connect = SocketPacket(type: .connect, payload: ["token": .string(token)])
            try await TestPeer.with(server, query: "roomId=1&username=Ann&isCaller=true") { ann in
                try await ann.send(connect)
                try await ann.skip(to: "room_state")
                try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                    let packets = (0..<20).map { number -> SocketPacket in
                        .event("e", [number.isMultiple(of: 3) ? .binary([UInt8(number)]) : .int(number)])
                    }
                    try await bob.send(connect)
                    for packet in packets { try await bob.send(packet) }
                    #expect(try await ann.next()?.eventName == "room_user_joined")
                    for packet in packets { try await ann.expect(packet) }
                }
            }
        }
    }

    @Test("A refused client that sends an event is disconnected")
    func talkingOn() async throws {
        try await withServer { server, _ in
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                try await bob.send(SocketPacket(type: .connect))
                try await bob.send(.event("hello"))
                #expect(try await bob.next()?.type == .connectError)
                try await bob.expect(nil)
            }
        }
    }

    @Test("A client that disconnects while its token is checked does not occupy its role")
    func gone() async throws {
        try await withServer { server, key in
            let token = JSON.string(try await token(key))
            for _ in 0..<20 {
                try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                    try await bob.send(SocketPacket(type: .connect, payload: ["token": token]))
                    try await bob.socket.send("1")
                }
            }
            var reply: SocketPacket?
            while reply?.type != .connect { reply = try await self.reply(server, ["token": token]) }
        }
    }

    @Test("Refused joins are counted by reason")
    func counts() async throws {
        try await withServer { server, _ in
            for _ in 0..<3 { _ = try await reply(server, nil) }
            _ = try await TestPeer.with(server) { try await $0.connect() }
            let refused = try await server.counts.joinsRefused
            #expect(refused[.unauthorized] == 3)
            #expect(refused[.invalid] == 1)
        }
    }
}
