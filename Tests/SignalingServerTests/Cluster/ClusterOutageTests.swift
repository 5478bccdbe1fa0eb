import Basics
import CallCore
import HTTPFront
import NIOCore
import RedisKit
import SocketIO
import Testing

@testable import SignalingServer

/// Recovery from an outage of Redis, during which joins, departures and signals were lost.
@Suite(.enabled(if: RedisProcess.isInstalled), .timeLimit(.minutes(4)))
struct ClusterOutageTests {
    /// Returns the socket id by which other servers identify the member with this role.
    private func sid(_ role: Role, in bench: ClusterBench) async throws -> String {
        try await bench.inside { engine in
            try #require(engine.rooms.allMembers.first { $0.role == role }).sid
        }
    }

    @Test("A member whose role goes to another client during an outage is reported as left afterwards")
    func seatTakenDuringOutage() async throws {
        try await ClusterBench.with { bench in
            _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
            let ann = try await bench.join("Ann", true) { ann in
                let sid = try await sid(.caller, in: bench)
                try await ann.end()
                return sid
            }
            try await bench.stopSharing()
            try await bench.join("Eve", true) { _ in
                let eve = try await sid(.caller, in: bench)
                #expect(try await bench.inside { $0.rooms.cluster?.backlog.joined } == [eve])
                try await bench.startSharing()
                _ = try await bench.neighbour.hear { $0 == .event("room_user_left", except: ann) }
            }
        }
    }

    @Test("A member that leaves during an outage is reported as left afterwards")
    func leaveDuringOutage() async throws {
        try await ClusterBench.with { bench in
            _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
            try await bench.join("Ann", true) { ann in
                let sid = try await sid(.caller, in: bench)
                try await bench.holding {
                    try await ann.leave()
                    try await ann.isHeard()
                    try await bench.stopSharing()
                }
                try await bench.isLogged("left")
                #expect(try await bench.inside { $0.rooms.cluster?.backlog.left.map(\.sid) } == [sid])
                try await bench.startSharing()
                _ = try await bench.neighbour.hear { $0 == .event("room_user_left", except: sid) }
            }
        }
    }

    @Test("A member that joins during an outage is announced afterwards")
    func joinDuringOutage() async throws {
        try await ClusterBench.with { bench in
            _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
            try await bench.come("Ann", true) { ann in
                try await bench.holding {
                    try await ann.ask()
                    try await bench.stopSharing()
                }
                #expect(try await ann.next()?.type == .connect)
                let sid = try await sid(.caller, in: bench)
                try await bench.startSharing()
                _ = try await bench.neighbour.hear { $0 == .event("room_user_joined", except: sid) }
            }
        }
    }

    @Test("A departure whose report was lost with the connection to Redis is reported again")
    func departureLostWithConnection() async throws {
        try await ClusterBench.with { bench in
            _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
            try await bench.join("Ann", true) { ann in
                let sid = try await sid(.caller, in: bench)
                try await bench.holding {
                    try await bench.inside { engine in
                        let member = try #require(engine.rooms.membersByID[sid])
                        let cluster = try #require(engine.rooms.cluster)
                        engine.rooms.removeFromRoom(member)
                        cluster.events.publishLeft(
                            RemoteMember(member, node: cluster.link.node),
                            isHeard: true
                        )
                    }
                    try await bench.neighbour.redis("CLIENT", "KILL", "TYPE", "normal")
                }
                _ = try await bench.neighbour.hear { $0 == .event("room_user_left", except: sid) }
            }
        }
    }

    @Test("A script error for one room does not count as an outage of Redis, but a permission error does")
    func unreadableRoom() async throws {
        try await ClusterBench.with { bench in
            try await bench.inside { engine in
                let words = RedisError.refused("ERR user_script:7: attempt to perform arithmetic")
                engine.rooms.cluster?.link.noteFailure(words, in: try RoomID("8"))
            }
            try await bench.isLogged("Redis refuses a command for a room")
            #expect(try await bench.server.counts.cluster?.isUp == true)
            try await bench.inside { engine in
                engine.rooms.cluster?.link.noteFailure(RedisError.refused("NOPERM"), in: try RoomID("8"))
            }
            #expect(try await bench.server.counts.cluster?.isUp == false)
        }
    }

    @Test("A request from another server is refused if the request's id is longer than 128 characters")
    func oversizedRequestID() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                let hello = SocketPacket.event("hello", [[:]])
                for count in [129, 128] {
                    let id = String(repeating: "x", count: count)
                    let request = AdapterBroadcast(node: "Jvhtew", hello, rooms: ["1"]).request(id: id)
                    try await bench.neighbour.redis("PUBLISH", AdapterChannels.requests, request)
                }
                var heard = 0
                try await bench.neighbour.publish("mark")
                while let packet = try await ann.next(), packet.eventName != "mark" {
                    heard += packet.eventName == "hello" ? 1 : 0
                }
                #expect(heard == 1)
                #expect(try await bench.server.counts.cluster?.refused[.malformed] == 1)
            }
        }
    }

    @Test("Held signals are sent to a remote member that is discovered after an outage")
    func heldSignalsAfterOutage() async throws {
        try await ClusterBench.with({ $0.holdsSignals = true }) { bench in
            try await bench.join("Ann", true) { ann in
                try await ann.send(.event("offer", [["type": "offer", "sdp": "v=0"]]))
                try await ann.isHeard()
                try await bench.stopSharing()
                _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
                try await bench.startSharing()
                _ = try await bench.neighbour.hear { $0 == .event("offer", except: "") }
            }
        }
    }

    @Test("A remote member that changes its name is reported as left and joined")
    func renamedDuringOutage() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                for name in ["Bob", "Rob"] {
                    let member = try Neighbour.member(name, .callee, sid: "b", key: "k")
                    try await bench.neighbour.reportJoin(member)
                }
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob", "-Bob", "+Rob"])
            }
        }
    }

    @Test("Many requests for member lists do not displace a pending acknowledgement")
    func listRequestsKeepAcks() async throws {
        try await ClusterBench.with { bench in
            let isKept = try await bench.inside { engine in
                guard let cluster = engine.rooms.cluster else { return false }
                cluster.nodes.updateForeignServers(1)
                let id = cluster.requests.expectAck { _ in }
                for _ in 0..<2_000 { cluster.requests.requestForeignMembers([try RoomID("1")]) }
                return cluster.requests.acks.answer(to: id) != nil
            }
            #expect(isKept)
        }
    }

    @Test("During an outage, the metrics count no remote members and no other servers")
    func countsDuringOutage() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.neighbour.reportJoin(try Neighbour.member("Bob", .callee, sid: "b"))
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob"])
                try await bench.inside { $0.rooms.cluster?.nodes.note(all: 3, ours: 2) }
                try await bench.stopSharing()
                let counts = try await bench.server.counts.cluster
                #expect(counts?.nodes == 1 && counts?.foreignNodes == 0 && counts?.remoteMembers == 0)
            }
        }
    }

    @Test("A full backlog of departures drops only departures of members that no other server knows")
    func tooManyUnreleasedSeats() async throws {
        try await ClusterBench.with { bench in
            let unknown = try Neighbour.member("Bob", .callee, sid: "b")
            let known = try Neighbour.member("Ann", .caller, sid: "a", since: 1)
            let isKept = try await bench.inside { engine in
                guard let cluster = engine.rooms.cluster else { return false }
                for _ in 0..<OutageBacklog.capacity { cluster.backlog.add(left: unknown) }
                cluster.backlog.add(left: known)
                return cluster.backlog.left.contains(known)
                    && cluster.backlog.left.count == OutageBacklog.capacity
            }
            #expect(isKept)
        }
    }

    @Test("A request from another server is refused while too many response bytes wait for Redis")
    func slowRedis() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                let request = Array(#"{"requestId":"r","type":1,"uid":"Jvhtew"}"#.utf8)
                let waiting = try await bench.inside { engine in
                    guard let cluster = engine.rooms.cluster else { return 0 }
                    cluster.requests.bytesAnswered = 8 << 20
                    #expect(throws: AdapterRefusal.tooBusy) { try cluster.requests.receive(request: request) }
                    cluster.requests.bytesAnswered = 0
                    try cluster.requests.receive(request: request)
                    return cluster.requests.bytesAnswered
                }
                #expect(waiting > 0)
                try await bench.isDone()
                #expect(try await bench.inside { $0.rooms.cluster?.requests.bytesAnswered } == 0)
            }
        }
    }
}

extension ClusterBench {
    /// Makes the server behave as if its subscription to Redis had been closed.
    func stopSharing() async throws {
        try await inside { engine in
            guard let cluster = engine.rooms.cluster else { throw TestFailure("there is no cluster") }
            cluster.link.link(cluster.link.subscription, didClose: .closed, unanswered: 0)
        }
    }

    func startSharing() async throws {
        try await inside { $0.rooms.cluster?.link.startSharing() }
        try await isLogged("rooms are shared")
    }
}
