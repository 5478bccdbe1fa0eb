import Basics
import CallCore
import SocketIO
import Testing

@testable import SignalingServer

/// Announcements of members on other servers, whose reports may arrive in any order.
@Suite(.enabled(if: RedisProcess.isInstalled), .timeLimit(.minutes(4)))
struct ClusterPresenceTests {
    private static let foreigner = "Jvhtew"

    @Test("A remote member is announced as left as soon as another member has its role")
    func earlierHolderHasLeft() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                let (bob, rob) = (
                    try Neighbour.member("Bob", .callee, sid: "b"),
                    try Neighbour.member("Rob", .callee, sid: "r")
                )
                for member in [bob, rob] { try await bench.neighbour.reportJoin(member) }
                try await bench.neighbour.reportLeave(bob)
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob", "-Bob", "+Rob"])
            }
        }
    }

    @Test("A join is announced after the departure of the previous member with that role")
    func joinAfterPreviousHolder() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                // Bob has released his role on the other server, but his departure is reported later.
                let gone = try Neighbour.member("Bob", .callee, sid: "b")
                try await bench.neighbour.reportJoin(gone)
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob"])
                try await bench.join("Bob", false) { _ in
                    try await bench.neighbour.reportLeave(gone)
                    #expect(try await ann.presenceChanges(bench.neighbour) == ["-Bob", "+Bob"])
                }
            }
        }
    }

    @Test("A client is refused if its role belongs to a member that may still return after an outage")
    func seatReservedAfterOutage() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.reportJoin(try Neighbour.member("Bob", .callee, sid: "b"))
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob"])
                try await bench.come("Eve", false) { eve in
                    let reply = try await eve.connect()
                    #expect(reply?.payload == ["message": "room_full"])
                }
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
            }
        }
    }

    @Test("An outdated report of a move to another server does not end a newer connection")
    func outdatedMove() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                try await bench.join("Ann", true, key: "k") { ann in
                    #expect(try await bob.presenceChanges(bench.neighbour) == ["+Ann"])
                    let sid = try await bench.inside {
                        $0.rooms.allMembers.first { $0.role == .caller }?.sid ?? ""
                    }
                    let old = try Neighbour.member("Ann", .caller, sid: "a", key: "k", since: 1)
                    try await bench.neighbour.post(.moved(sid: sid, to: old, again: false))
                    #expect(try await bob.presenceChanges(bench.neighbour) == [])
                    try await ann.isHeard(by: bob)
                }
            }
        }
    }

    @Test("The newer of two reported moves of a member takes effect, regardless of their order of arrival")
    func newerMoveWins() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                let places = try (1...3).map {
                    try Neighbour.member("Ann", .caller, sid: "a\($0)", key: "k", since: $0)
                }
                try await bench.neighbour.reportJoin(places[0])
                try await bench.neighbour.post(.moved(sid: "a2", to: places[2], again: false))
                try await bench.neighbour.post(.moved(sid: "a1", to: places[1], again: false))
                #expect(try await bob.presenceChanges(bench.neighbour) == ["+Ann"])
                #expect(try await bench.server.counts.cluster?.remoteMembers == 1)
                try await bench.neighbour.reportLeave(places[1])
                #expect(try await bob.presenceChanges(bench.neighbour) == [])
                try await bench.neighbour.reportLeave(places[2])
                #expect(try await bob.presenceChanges(bench.neighbour) == ["-Ann"])
            }
        }
    }

    @Test("If a member returns without a client key, other servers are told to announce it again")
    func keylessReturnIsAnnounced() async throws {
        try await ClusterBench.with { bench in
            let sid = try await bench.join("Ann", true) { ann in
                try await ann.send(SocketPacket(type: .connectError))
                while try await ann.next() != nil {}
                return try await bench.inside { $0.rooms.allMembers.first?.sid ?? "" }
            }
            try await bench.join("Ann", true) { _ in
                guard case .moved(sid, let place, true) = try await bench.neighbour.message("moved") else {
                    Issue.record("it is not told")
                    return
                }
                #expect(place.sid == sid && place.since > 0)
                #expect(place.identity.username.value == "Ann")
            }
        }
    }

    @Test("An ack is relayed even if Node.js servers share the room")
    func ackWithForeignServers() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.join("Bob", false) { bob in
                    try await bench.neighbour.publish("hello", from: Self.foreigner)
                    #expect(try await ann.next()?.eventName == "room_user_joined")
                    try await ann.expect(.event("hello", [[:]]))
                    try await bob.expect(.event("hello", [[:]]))
                    var question = SocketPacket.event("ask")
                    question.ackID = 7
                    try await ann.send(question)
                    let asked = try await bob.next()
                    #expect(asked?.eventName == "ask")
                    try await bob.send(.ack(try #require(asked?.ackID), ["yes"]))
                    try await ann.expect(.ack(7, ["yes"]))
                }
            }
        }
    }

    @Test("A broadcast from another server is not delivered to the rooms that it excludes")
    func exceptRooms() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.publish("not for all", rooms: [], except: ["1"])
                try await bench.neighbour.publish("for all", rooms: [], except: ["2"])
                try await ann.expect(.event("for all", [[:]]))
            }
        }
    }

    @Test("Node.js servers receive the departure of a lost member whose role goes to another client")
    func foreignServersLearnOfSeatChange() async throws {
        try await ClusterBench.with { bench in
            let rob = try Neighbour.member("Rob", .callee, sid: "r")
            _ = try await bench.neighbour.claim(rob)
            try await bench.neighbour.lose(rob)
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.publish("hello", from: Self.foreigner)
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
                try await bench.join("Bob", false) { _ in
                    let left = try await bench.neighbour.hear {
                        if case .event("room_user_left", _) = $0 { true } else { false }
                    }
                    #expect(left == .event("room_user_left", except: "r"))
                }
                #expect(try await ann.presenceChanges(bench.neighbour) == ["-Rob", "+Bob"])
            }
        }
    }

    @Test("A response that a Node.js server publishes only for the requesting server is handled")
    func directedAnswers() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.publish("hello", from: Self.foreigner)
                try await ann.expect(.event("hello", [[:]]))
                let asked = try await bench.neighbour.hear { if case .request = $0 { true } else { false } }
                guard case .request(let uid, let id) = asked else { return }
                let zoe: JSON = [
                    "id": "z", "rooms": ["z", "1"],
                    "handshake": ["query": ["roomId": "1", "username": "Zoe", "isCaller": "false"]],
                ]
                let answer: JSON = ["requestId": .string(id), "sockets": [zoe]]
                try await bench.neighbour.redis(
                    "PUBLISH",
                    "socket.io-response#/#\(uid)#",
                    answer.serialized()
                )
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Zoe"])
            }
        }
    }

    @Test("A member of a stopped server is not announced as left if it is present on another server")
    func presentElsewhereAfterServerStop() async throws {
        try await ClusterBench.with({ $0.openRooms = true }) { bench in
            try await bench.join("Ann", true) { ann in
                let (bob, rob) = (
                    try Neighbour.member("Bob", .callee, sid: "b"),
                    try Neighbour.member("Rob", .callee, sid: "r")
                )
                for member in [bob, rob] { try await bench.neighbour.reportJoin(member) }
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob", "+Rob"])
                // Bob has moved to another server while the servers could not reach each other.
                let elsewhere = RemoteMember(node: "~third", sid: "b2", identity: bob.identity, role: .callee)
                try await bench.inside { _ = $0.rooms.cluster?.remote.add(elsewhere) }
                try await bench.neighbour.post(.gone)
                // The server asks Redis about the room after it has received the message.
                #expect(try await ann.next()?.arguments.first?["username"] == "Rob")
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
            }
        }
    }

    @Test("A Redis server that refuses writes is treated as unreachable until it accepts them")
    func readOnlyRedis() async throws {
        try await ClusterBench.with(heartbeat: .seconds(1)) { bench in
            try await bench.neighbour.redis("CONFIG", "SET", "maxmemory", 1)
            try await bench.isLogged("connection to Redis lost, rooms are not shared")
            #expect(try await bench.server.counts.cluster?.isUp == false)
            try await bench.neighbour.redis("CONFIG", "SET", "maxmemory", 0)
            try await bench.isLogged("rooms are shared")
            #expect(try await bench.server.counts.cluster?.isUp == true)
        }
    }
}
