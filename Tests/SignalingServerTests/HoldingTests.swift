import Basics
import SignalingServer
import SocketIO
import Testing

@Suite("Offers held for a later peer", .timeLimit(.minutes(4)))
struct HoldingTests {
    private static let offer = SocketPacket.event(
        "offer",
        [["type": "offer", "sdp": "v=0\r\na=ice-ufrag:a\r\n"]]
    )
    private static let candidate = SocketPacket.event("candidate", [["candidate": "candidate:1"]])
    private static let end = SocketPacket.event("end")

    /// Runs `body` with a caller that has sent an offer and a candidate while alone in the room.
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

    /// Joins as a new member and checks the packets that it receives after `room_state`.
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

    @Test("A new member receives the held offer and its candidates after room_state")
    func newcomer() async throws {
        try await withCaller { server, ann in
            try await expect([Self.offer, Self.candidate], by: ann, on: server)
        }
    }

    @Test("No signals are held by default")
    func notHolding() async throws {
        try await withCaller(isHolding: false) { server, ann in try await expect([], by: ann, on: server) }
    }

    @Test("A new member with the sender's role receives no held signals")
    func sameRole() async throws {
        try await withCaller(openRooms: true) { server, ann in
            try await expect([], by: ann, on: server, true)
        }
    }

    @Test("An answered offer is dropped, and the answer is held for later callers")
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

    @Test("The departure of the sender drops its held signals", arguments: [true, false])
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

    @Test("An offer remains held when its sender rejoins with the same client key")
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
