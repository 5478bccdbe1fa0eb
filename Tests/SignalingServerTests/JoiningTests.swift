import Basics
import CallCore
import SignalingServer
import SocketIO
import Testing

@Suite("Joining a room", .timeLimit(.minutes(4)))
struct JoiningTests {
    @Test(
        "The fields of a join are read from the query, and missing ones from the CONNECT payload",
        arguments: [
            ("roomId=1&username=Bob&isCaller=false", nil),
            ("roomId=1&username=%42ob&isCaller=FALSE", nil),
            ("roomId=7&roomId=1&username=+Bob+&isCaller=0", nil),
            ("", ["roomId": 1, "username": "Bob", "isCaller": false]),
            ("", ["roomId": "1", "username": "Bob", "isCaller": "false"]),
            ("", ["roomId": 1.0, "username": "Bob", "isCaller": 0]),
            ("roomId=1", ["roomId": 2, "username": "Bob", "isCaller": false]),
            ("roomId=1&username=Bob&isCaller=false", ["roomId": [], "username": nil, "isCaller": true]),
        ] as [(String, JSON?)]
    )
    func fields(query: String, auth: JSON?) async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, query: query) { bob in
                    #expect(try await bob.connect(auth)?.type == .connect)
                    let joined = SocketPacket.event(
                        "room_user_joined",
                        [["username": "Bob", "roomId": 1, "isCaller": false]]
                    )
                    try await ann.expect(joined)
                }
            }
        }
    }

    @Test(
        "A join with a missing or invalid field is refused, and the refusal names the field",
        arguments: [
            ("username=Bob&isCaller=true", nil, "roomId"),
            ("roomId=0&username=Bob&isCaller=true", nil, "roomId"),
            ("roomId=-1&username=Bob&isCaller=true", nil, "roomId"),
            ("roomId=9007199254740992&username=Bob&isCaller=true", nil, "roomId"),
            ("roomId=99999999999999999999&username=Bob&isCaller=true", nil, "roomId"),
            ("roomId=1&isCaller=true", nil, "username"),
            ("roomId=1&username=%20&isCaller=true", nil, "username"),
            ("roomId=1&username=a%00b&isCaller=true", nil, "username"),
            ("roomId=1&username=Ann%E2%80%8B&isCaller=true", nil, "username"),
            ("roomId=1&username=Bob", nil, "isCaller"),
            ("roomId=1&username=Bob&isCaller=yes", nil, "isCaller"),
            ("", ["roomId": 1.5, "username": "Bob", "isCaller": true], "roomId"),
            ("", ["roomId": ["1"], "username": "Bob", "isCaller": true], "roomId"),
            ("", ["roomId": 1, "username": "Bob", "isCaller": 2], "isCaller"),
            ("", ["roomId": 1, "username": "Bob", "isCaller": true, "key": 5], "key"),
            ("", ["roomId": 1, "username": "Bob", "isCaller": true, "key": ""], "key"),
        ] as [(String, JSON?, String)]
    )
    func refusedFields(query: String, auth: JSON?, field: String) async throws {
        try await withServer { server in
            try await TestPeer.with(server, query: query) { peer in
                let reply = try await peer.connect(auth)
                #expect(reply?.type == .connectError)
                #expect(reply?.payload?["message"]?.stringValue?.hasPrefix(field) == true)
                #expect(reply?.payload?["data"]?["field"]?.stringValue == field)
            }
        }
    }

    @Test("A new member receives its sid, then the present members, then the room state")
    func newcomer() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { _ in
                try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                    let reply = try await bob.connect()
                    #expect(reply?.payload?.objectValue?.map(\.key) == ["sid"])
                    #expect(reply?.payload?["sid"]?.stringValue?.count == 20)
                    #expect(reply?.payload?["sid"]?.stringValue != bob.handshake?.sid)
                    let ann: JSON = ["username": "Ann", "roomId": 1, "isCaller": true]
                    try await bob.expect(.event("room_user_joined", [ann]))
                    try await bob.expect(.event("room_state", [["peers": [ann]]]))
                }
            }
        }
    }

    @Test("The first member of a room receives an empty room state")
    func emptyRoom() async throws {
        try await withServer { server in
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                _ = try await bob.connect()
                try await bob.expect(.event("room_state", [["peers": []]]))
            }
        }
    }

    @Test("If string payloads are enabled, numbers and Booleans are sent as strings")
    func stringPayloads() async throws {
        try await withServer({ $0.stringPayloads = true }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    let joined = SocketPacket.event(
                        "room_user_joined",
                        [["username": "Bob", "roomId": "1", "isCaller": "false"]]
                    )
                    try await ann.expect(joined)
                    try await bob.send(SocketPacket(type: .disconnect))
                    let left = SocketPacket.event(
                        "room_user_left",
                        [["username": "Bob", "isCaller": "false"]]
                    )
                    try await ann.expect(left)
                    #expect(try await bob.connect()?.type == .connect)
                    let present: JSON = ["username": "Ann", "roomId": "1", "isCaller": "true"]
                    try await bob.expect(.event("room_user_joined", [present]))
                    try await bob.expect(.event("room_state", [["peers": [present]]]))
                }
            }
        }
    }

    @Test("ICE servers and their credentials are sent right after the reply to CONNECT")
    func iceServers() async throws {
        let servers = [
            ICEServer(urls: ["stun:a", "stun:b"]),
            ICEServer(urls: ["turn:c"], username: "u", credential: "p"),
        ]
        try await withServer({ $0.iceServers = servers }) { server in
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                _ = try await bob.connect()
                let list: JSON = [
                    ["urls": ["stun:a", "stun:b"]], ["urls": ["turn:c"], "username": "u", "credential": "p"],
                ]
                try await bob.expect(
                    .event("ice_servers", [["iceServers": list, "ttl": 86_400]])
                )
            }
        }
    }

    @Test("TURN credentials are created for each member and sent with their validity")
    func turnCredentials() async throws {
        let turn = TURNCredentials(
            urls: ["turn:c", "turns:c"],
            secret: Array("north".utf8),
            timeToLive: .seconds(600)
        )
        try await withServer({ $0.turn = turn }) { server in
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                _ = try await bob.connect()
                let reported = try await bob.next()
                #expect(reported?.eventName == "ice_servers")
                #expect(reported?.arguments.first?["ttl"] == 600)
                let servers = reported?.arguments.first?["iceServers"]?.arrayValue
                #expect(servers?.count == 1)
                #expect(servers?.first?["urls"] == ["turn:c", "turns:c"])
                let username = try #require(servers?.first?["username"]?.stringValue)
                #expect(username.hasSuffix(":Bob"))
                let credential = servers?.first?["credential"]?.stringValue
                #expect(credential == turn.credential(for: username))
            }
        }
    }

    @Test("A join is refused if the role is taken or the room is full")
    func takenPlaces() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { _ in
                #expect(try await refusal(server, "Eve", true) == ["message": "role_taken"])
                try await TestPeer.with(server, as: "Bob", false) { _ in
                    #expect(try await refusal(server, "Eve", true) == ["message": "room_full"])
                    #expect(try await refusal(server, "Eve", false) == ["message": "room_full"])
                    try await TestPeer.with(server, as: "Eve", true, room: 2) { _ in }
                }
            }
        }
    }

    private func refusal(_ server: ListeningServer, _ name: String, _ isCaller: Bool) async throws -> JSON? {
        try await TestPeer.with(server, query: "roomId=1&username=\(name)&isCaller=\(isCaller)") { peer in
            let reply = try await peer.connect()
            #expect(reply?.type == .connectError)
            return reply?.payload
        }
    }

    @Test(
        "A refusal quotes only the beginning of a very long field",
        arguments: ["username", "roomId", "isCaller"]
    )
    func longFields(field: String) async throws {
        try await withServer { server in
            var auth: JSONObject = ["username": "Ann", "roomId": 1, "isCaller": true]
            auth[field] = .string(String(repeating: " \u{301}", count: 250_000))
            try await TestPeer.with(server) { peer in
                let payload = try await peer.connect(.object(auth))?.payload
                #expect(payload?["data"]?["field"]?.stringValue == field)
                #expect(try #require(payload?["message"]?.stringValue).utf8.count < 1000)
            }
        }
    }

    @Test("A full open room refuses joins until a member leaves")
    func openRoomCapacity() async throws {
        try await withServer({
            $0.openRooms = true
            $0.roomCapacity = 2
        }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", true) { bob in
                    #expect(try await refusal(server, "Eve", false) == ["message": "room_full"])
                    try await bob.send(SocketPacket(type: .disconnect))
                    try await ann.skip(to: "room_user_left")
                    try await TestPeer.with(server, as: "Eve", false) { _ in }
                }
            }
        }
    }

    @Test("An open room admits several callers, even with the same name")
    func openRoom() async throws {
        try await withServer({ $0.openRooms = true }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Ann", true) { _ in
                    try await TestPeer.with(server, as: "Bob", true) { _ in
                        for name in ["Ann", "Bob"] {
                            let joined = try await ann.next()
                            #expect(joined?.arguments.first?["username"]?.stringValue == name)
                        }
                    }
                }
            }
        }
    }

    @Test("An unknown namespace is refused, and the connection stays open")
    func otherNamespace() async throws {
        try await withServer { server in
            try await TestPeer.with(server, query: "roomId=1&username=Bob&isCaller=false") { bob in
                try await bob.send(SocketPacket(type: .connect, namespace: "/random"))
                let refusal = SocketPacket(
                    type: .connectError,
                    namespace: "/random",
                    payload: ["message": "Invalid namespace"]
                )
                try await bob.expect(refusal)
                #expect(try await bob.connect()?.type == .connect)
            }
        }
    }

    @Test("The Engine.IO handshake contains all fields of the protocol")
    func handshake() async throws {
        try await withServer { server in
            try await TestPeer.with(server) { peer in
                let expected = EngineHandshake(
                    sid: peer.handshake?.sid ?? "",
                    upgrades: [],
                    pingInterval: 25_000,
                    pingTimeout: 20_000,
                    maxPayload: 1_000_000
                )
                #expect(peer.handshake == expected)
                #expect(peer.handshake?.sid.count == 20)
            }
        }
    }
}
