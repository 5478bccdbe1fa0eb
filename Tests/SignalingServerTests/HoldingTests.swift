import SignalingServer
import SocketIO
import Testing

@Suite("Holding offers", .timeLimit(.minutes(1)))
struct HoldingTests {
    private static let offer = SocketPacket.event(
        "offer",
        [["type": "offer", "sdp": "v=0\r\na=ice-ufrag:a\r\n"]]
    )
    private static let candidate = SocketPacket.event("candidate", [["candidate": "candidate:1"]])
    private static let end = SocketPacket.event("end")

    /// A caller that has offered before anybody else came, and whose words have been read.
    private func withCaller(
        isHolding: Bool = true,
        openRooms: Bool = false,
        _ body: (ListeningServer, TestPeer) async throws -> Void
    ) async throws {
        try await withServer({
            $0.holdsSignals = isHolding
            $0.openRooms = openRooms
        }) { server in
            try await TestPeer.with(server, as: "Ann", true) { ann in
                try await ann.send(Self.offer)
                try await ann.send(Self.candidate)
                try await ann.isHeard()
                try await body(server, ann)
            }
        }
    }

    /// What a newcomer hears behind `room_state`.
    private func expect(
        _ packets: [SocketPacket],
        by caller: TestPeer,
        on server: ListeningServer,
        _ isCaller: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await TestPeer.with(server, as: "Bob", isCaller) { bob in
            try await caller.send(Self.end)
            for packet in packets + [Self.end] {
                try await bob.expect(packet, sourceLocation: sourceLocation)
            }
        }
    }

    @Test("A newcomer is given the offer and its candidates in order after room_state")
    func newcomer() async throws {
        try await withCaller { server, ann in
            try await expect([Self.offer, Self.candidate], by: ann, on: server)
        }
    }

    @Test("Unless it is asked for nothing is held")
    func notHolding() async throws {
        try await withCaller(isHolding: false) { server, ann in try await expect([], by: ann, on: server) }
    }

    @Test("A newcomer of the same role is given nothing")
    func sameRole() async throws {
        try await withCaller(openRooms: true) { server, ann in
            try await expect([], by: ann, on: server, true)
        }
    }

    @Test("An answered offer is not held, but the answer is")
    func answered() async throws {
        let answer = SocketPacket.event("answer", [["type": "answer", "sdp": "v=0\r\n", "offer": "a"]])
        try await withCaller(openRooms: true) { server, ann in
            try await TestPeer.with(server, as: "Eve", false) { eve in
                try await eve.send(answer)
                try await eve.isHeard(by: ann)
                try await expect([], by: ann, on: server)
                try await TestPeer.with(server, as: "Zoe", true) { zoe in
                    try await eve.send(Self.end)
                    try await zoe.expect(answer)
                }
            }
        }
    }

    @Test("The sender's leaving drops all", arguments: [true, false])
    func leaving(isClean: Bool) async throws {
        try await withServer({
            $0.holdsSignals = true
            $0.grace = isClean ? .seconds(600) : .milliseconds(1)
        }) { server in
            try await TestPeer.with(server, as: "Eve", false) { eve in
                try await TestPeer.with(server, as: "Ann", true) { ann in
                    try await ann.send(Self.offer)
                    if isClean { try await ann.send(SocketPacket(type: .disconnect)) }
                    try await eve.skip(to: "offer")
                }
                try await eve.skip(to: "room_user_left")
                try await eve.send(SocketPacket(type: .disconnect))
                try await eve.isHeard()
                try await TestPeer.with(server, as: "Ann", true) { ann in
                    try await expect([], by: ann, on: server)
                }
            }
        }
    }

    @Test("A sender that comes back with its key finds its offer still held")
    func keyedReturn() async throws {
        try await withServer({ $0.holdsSignals = true }) { server in
            try await TestPeer.with(server, as: "Ann", true, key: "k") { ann in
                try await ann.send(Self.offer)
                try await ann.isHeard()
            }
            try await TestPeer.with(server, as: "Ann", true, key: "k") { ann in
                try await expect([Self.offer], by: ann, on: server)
            }
        }
    }
}
