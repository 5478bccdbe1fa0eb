import Basics
import SignalingServer
import SocketIO
import Testing

@Suite("Relaying events", .timeLimit(.minutes(4)))
struct RelayTests {
    /// Runs `body` with two members of a room, after the first has received the join of the second.
    private func withPair(_ body: (TestPeer, TestPeer) async throws -> Void) async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    _ = try await ann.next()
                    try await body(ann, bob)
                }
            }
        }
    }

    @Test(
        "Any event reaches the peer unchanged",
        arguments: [
            SocketPacket.event("offer", [["type": "offer", "sdp": "v=0\r\n\u{1F600}"]]),
            .event("candidate", [["candidate": "candidate:1", "sdpMid": nil, "sdpMLineIndex": 0]]),
            .event("ringing", [["offer": "ufrag"]]),
            .event("hangup", [["offer": "ufrag", "reason": "declined"]]),
            .event("anything", [1, 2.5, "three", [4, ["five": nil]]]),
            .event("nothing"),
            .event("", [true]),
            SocketPacket(type: .event, payload: [7, "numbered"]),
            .event("bytes", [.binary([0, 255]), ["deep": [.binary([])]]]),
        ]
    )
    func asItIs(packet: SocketPacket) async throws {
        try await withPair { ann, bob in
            try await ann.send(packet)
            try await bob.expect(packet)
            try await bob.send(packet)
            try await ann.expect(packet)
        }
    }

    @Test("Events keep their order, including binary ones")
    func order() async throws {
        try await withPair { ann, bob in
            let packets = (0..<50).map { number -> SocketPacket in
                .event("e", [number.isMultiple(of: 3) ? .binary([UInt8(number)]) : .int(number)])
            }
            for packet in packets { try await ann.send(packet) }
            for packet in packets { #expect(try await bob.next() == packet) }
        }
    }

    @Test("The ack of the only peer is relayed with the ack id of the sender's event")
    func ack() async throws {
        try await withPair { ann, bob in
            try await ann.send(.event("question", [1], ackID: 42))
            let question = try await bob.next()
            #expect(question?.arguments == [1])
            let id = try #require(question?.ackID)
            try await bob.send(.ack(id, ["yes", .binary([1])]))
            try await ann.expect(.ack(42, ["yes", .binary([1])]))
        }
    }

    @Test("An ack that was not requested, or is repeated, is ignored")
    func strayAcks() async throws {
        try await withPair { ann, bob in
            try await bob.send(.ack(0, ["stray"]))
            try await bob.send(.event("ready"))
            try await ann.expect(.event("ready"))
            try await ann.send(.event("question", ackID: 1))
            let id = try #require(try await bob.next()?.ackID)
            try await bob.send(.ack(id, ["first"]))
            try await bob.send(.ack(id, ["second"]))
            try await bob.send(.ack(.max, ["stray"]))
            try await bob.send(.event("end"))
            try await ann.expect(.ack(1, ["first"]))
            try await ann.expect(.event("end"))
        }
    }

    @Test("An event for several peers is relayed without its request for an ack")
    func ackOfSeveral() async throws {
        try await withServer({ $0.openRooms = true }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Bob", false) { bob in
                    try await TestPeer.with(server, as: "Eve", false) { eve in
                        try await ann.send(.event("question", ackID: 1))
                        #expect(try await bob.next()?.eventName == "room_user_joined")
                        try await bob.expect(.event("question"))
                        try await eve.expect(.event("question"))
                    }
                }
            }
        }
    }

    @Test("An event reaches neither other rooms nor its sender")
    func rooms() async throws {
        try await withPair { ann, bob in
            try await ann.send(.event("first"))
            try await bob.expect(.event("first"))
            try await bob.send(.event("second"))
            try await ann.expect(.event("second"))
        }
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await TestPeer.with(server, as: "Eve", false, room: 2) { eve in
                    try await eve.send(.event("strange"))
                    try await TestPeer.with(server, as: "Bob", false) { _ in
                        let joined = try await ann.next()
                        #expect(joined?.eventName == "room_user_joined")
                    }
                }
            }
        }
    }

    @Test(
        "Events reserved for the server are not relayed",
        arguments: ["room_user_joined", "room_user_left", "room_state", "ice_servers", "server_draining"]
    )
    func reservedNames(name: String) async throws {
        try await withPair { ann, bob in
            try await ann.send(.event(name, [["username": "Bob"]]))
            try await ann.send(.event("end"))
            try await bob.expect(.event("end"))
        }
    }

    @Test("A client that requested b64=1 receives attachments as Base64 text")
    func base64() async throws {
        try await withServer { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                let query = "roomId=1&username=Bob&isCaller=false&b64=1"
                try await TestPeer.with(server, query: query) { bob in
                    _ = try await bob.connect()
                    try await bob.skip(to: "room_state")
                    try await ann.send(.event("bytes", [.binary([1, 2, 3])]))
                    try await bob.socket.expect(
                        .text(#"451-["bytes",{"_placeholder":true,"num":0}]"#)
                    )
                    try await bob.socket.expect(.text("bAQID"))
                }
            }
        }
    }
}
