import Basics
import CallCore
import NIOCore
import RedisKit
import SocketIO
import Testing

@testable import SignalingServer

/// Clean stops of a server, whose members with a client key may return on another server.
@Suite(.enabled(if: RedisProcess.isInstalled), .timeLimit(.minutes(4)))
struct ClusterStoppingTests {
    @Test("A stopping server announces its stop and leaves a last heartbeat that expires")
    func lastHeartbeat() async throws {
        try await ClusterBench.with { bench in
            let id = try await bench.inside { $0.rooms.cluster?.link.node ?? "" }
            let heartbeat = ClusterKeys.heartbeat(of: id)
            #expect(try await bench.neighbour.redis("GET", heartbeat).text == "1")
            try await bench.leaveCluster()
            #expect(try await bench.neighbour.redis("GET", heartbeat).text == "0")
            let rest = try #require(try await bench.neighbour.redis("PTTL", heartbeat).integer)
            #expect((1...300_000).contains(rest))
            #expect(try await bench.neighbour.redis("EXISTS", ClusterKeys.stop(of: id)).integer == 1)
            #expect(try await bench.neighbour.message("gone") == .gone)
        }
    }

    @Test("If a Node.js server shares the room, all members of a stopping server are reported as left")
    func stopBesideForeignServers() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true, key: "k") { ann in
                try await bench.neighbour.publish("hello", from: "Jvhtew")
                try await ann.expect(.event("hello", [[:]]))
                let id = try await bench.inside { $0.rooms.cluster?.link.node ?? "" }
                try await bench.leaveCluster()
                let heartbeat = try await bench.neighbour.redis("EXISTS", ClusterKeys.heartbeat(of: id))
                #expect(heartbeat.integer == 0)
                _ = try await bench.neighbour.hear {
                    if case .event("room_user_left", _) = $0 { true } else { false }
                }
            }
        }
    }

    @Test("When a server stops, only its members without a client key are announced as left")
    func keyHoldersAreAwaited() async throws {
        try await ClusterBench.with({ $0.openRooms = true }) { bench in
            try await bench.join("Ann", true) { ann in
                let (bob, rob) = (
                    try Neighbour.member("Bob", .callee, sid: "b", key: "k"),
                    try Neighbour.member("Rob", .callee, sid: "r")
                )
                for member in [bob, rob] {
                    try await bench.neighbour.reportJoin(member)
                    let room = ClusterKeys.openRoom(member.identity.room)
                    try await bench.neighbour.redis("HSET", room, member.sid, member.json.serialized())
                }
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob", "+Rob"])
                try await bench.neighbour.post(.gone)
                #expect(try await ann.next()?.arguments.first?["username"] == "Rob")
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
                // Bob returns on another server.
                let again = RemoteMember(
                    node: "~third",
                    sid: "b2",
                    identity: bob.identity,
                    role: .callee,
                    keyHash: bob.keyHash
                )
                try await bench.neighbour.post(.moved(sid: "b", to: again, again: false))
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
                #expect(
                    try await bench.inside { $0.rooms.cluster?.remote.count } == 1
                )
            }
        }
    }

    @Test("A member is announced as left if its stopped server's last heartbeat expires before it returns")
    func goneAfterLastHeartbeat() async throws {
        try await ClusterBench.with(heartbeat: .seconds(1)) { bench in
            try await bench.join("Ann", true) { ann in
                let bob = try Neighbour.member("Bob", .callee, sid: "b", key: "k")
                _ = try await bench.neighbour.claim(bob)
                try await bench.neighbour.reportJoin(bob)
                try await bench.inside { $0.rooms.cluster?.link.seats.trustsUntil = .now() }
                try await bench.neighbour.stop(for: .milliseconds(1))
                #expect(try await ann.next()?.eventName == "room_user_joined")
                #expect(try await ann.next()?.eventName == "room_user_left")
                try await bench.isLogged("another server left the cluster")
            }
        }
    }

    @Test(
        "The role of a member without a client key is free once its server stops",
        arguments: [true, false]
    )
    func keylessSeatIsFree(isTrusting: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2)
        let (ann, bob) = (try bench.member(0, "Ann", .caller), try bench.member(1, "Bob", .callee))
        _ = try await bench.claim(ann)
        try await bench.trust(1, isTrusting)
        try await bench.stop(0)
        #expect(try await bench.claim(bob) == .granted(since: 0, replaced: nil, others: []))
        let eve = try bench.member(1, "Eve", .caller)
        #expect(try await bench.claim(eve, isKept: true) == .granted(since: 0, replaced: nil, others: [bob]))
        try await bench.close()
    }

    @Test(
        "A member with a client key stays listed until its stopped server's last heartbeat expires",
        arguments: [true, false]
    )
    func keyedSeatIsLost(isTrusting: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2)
        let ann = try bench.member(0, "Ann", .caller, key: "k")
        let (bob, eve) = (try bench.member(1, "Bob", .callee), try bench.member(1, "Eve", .caller))
        let again = try bench.member(1, "Ann", .caller, key: "k")
        try await bench.trust(1, isTrusting)
        for next in [again, eve] {
            _ = try await bench.claim(ann)
            try await bench.stop(0)
            #expect(try await bench.claim(bob) == .granted(since: 0, replaced: nil, others: [ann]))
            #expect(try await bench.claim(next) == .granted(since: 0, replaced: ann, others: [bob]))
            _ = try await bench.release(next)
            try await bench.live(0)
        }
        _ = try await bench.claim(ann)
        try await bench.stop(0)
        try await bench.die(0)
        #expect(try await bench.claim(bob) == .granted(since: 0, replaced: nil, others: []))
        #expect(try await bench.claim(again) == .granted(since: 0, replaced: nil, others: [bob]))
        try await bench.close()
    }

    @Test(
        "When a server stops, only its members with a client key stay in an open room",
        arguments: [true, false]
    )
    func keyedEntriesInOpenRoom(isTrusting: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: true)
        let members = [
            try bench.member(0, "Ann", .caller, key: "k"), try bench.member(0, "Bob", .callee),
            try bench.member(0, "Rob", .callee),
        ]
        for member in members { _ = try await bench.claim(member) }
        try await bench.trust(1, isTrusting)
        try await bench.stop(0)
        let eve = try bench.member(1, "Eve", .callee)
        #expect(try await bench.claim(eve) == .granted(since: 0, replaced: nil, others: [members[0]]))
        let again = try bench.member(1, "Ann", .caller, key: "k")
        #expect(try await bench.claim(again) == .granted(since: 0, replaced: members[0], others: [eve]))
        try await bench.close()
    }
}
