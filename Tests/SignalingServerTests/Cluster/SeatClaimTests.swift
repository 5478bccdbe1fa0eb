import CallCore
import Foundation
import NIOCore
import NIOPosix
import RedisKit
import Testing

@testable import SignalingServer

/// Claims of caller and callee roles by several servers, in a real Redis server.
@Suite(.enabled(if: RedisProcess.isInstalled))
struct SeatClaimTests {
    @Test("Among ten thousand concurrent claims, Redis grants each role to exactly one server")
    func manyClaims() async throws {
        let (rooms, bench) = (50, try await ClaimBench(nodes: 4))
        let granted = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<10_000 {
                let (node, room) = (index % 4, 1 + index / 8 % rooms)
                let role: Role = index / 4 % 2 == 0 ? .caller : .callee
                let member = try bench.member(node, "n\(index)", role, room: room)
                group.addTask {
                    guard case .granted(_, nil, _) = try await bench.claim(member) else { return nil }
                    return "\(room) \(role) \(member.node)"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(granted.count == 10_000)
        // Redis grants all claims of the server that has the role, because a server decides by itself
        // among its own clients.
        let winners = Set(granted.compactMap(\.self))
        let seats = Set(winners.map { $0.split(separator: " ").prefix(2).joined(separator: " ") })
        #expect(seats.count == 2 * rooms)
        #expect(winners.count == 2 * rooms, "each seat has one server")
        try await bench.close()
    }

    @Test("A role belongs to the server that claimed it until that server dies")
    func seatOfDeadServer() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let ann = try bench.member(0, "Ann", .caller)
        let eve = try bench.member(1, "Eve", .caller)
        let bob = try bench.member(1, "Bob", .callee)
        #expect(try await bench.claim(ann) == .granted(since: 0, replaced: nil, others: []))
        #expect(try await bench.claim(eve) == .refused(holder: ann, isFull: false))
        #expect(try await bench.claim(bob) == .granted(since: 0, replaced: nil, others: [ann]))
        #expect(try await bench.claim(eve) == .refused(holder: ann, isFull: true))
        try await bench.die(0)
        #expect(try await bench.claim(eve) == .granted(since: 0, replaced: nil, others: [bob]))
        try await bench.close()
    }

    @Test("A role whose Redis key has the wrong type is free", arguments: [false, true])
    func otherTypesAreIgnored(isOpen: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: isOpen)
        let (ann, bob) = (try bench.member(0, "Ann", .caller), try bench.member(1, "Bob", .callee))
        let room = ann.identity.room
        let keys =
            isOpen
            ? [ClusterKeys.openRoom(room)]
            : [ClusterKeys.seat(room, .caller), ClusterKeys.seat(room, .callee)]
        for key in keys { _ = try await bench.ask(0, RedisCommand("RPUSH", key, "x")) }
        try await bench.lose(ann)
        #expect(try await bench.release(ann)?.wasHeld == false)
        #expect(try await bench.claim(ann) == .granted(since: 0, replaced: nil, others: []))
        #expect(try await bench.claim(bob) == .granted(since: 0, replaced: nil, others: [ann]))
        // A server whose heartbeat key has the wrong type is regarded as dead.
        try await bench.die(0)
        _ = try await bench.ask(0, RedisCommand("RPUSH", ClusterKeys.heartbeat(of: "~0"), "x"))
        let eve = try bench.member(1, "Eve", .caller)
        #expect(try await bench.claim(eve) == .granted(since: 0, replaced: nil, others: [bob]))
        try await bench.close()
    }

    @Test("An invalid join time in Redis is ignored", arguments: ["1e999", "-1e999", "{}", "\"nan\""])
    func invalidTime(since: String) async throws {
        let bench = try await ClaimBench(nodes: 1)
        let ann = try bench.member(0, "Ann", .caller)
        let words = "{\"node\":\"~0\",\"sid\":\"\(ann.sid)\",\"since\":\(since)}"
        _ = try await bench.ask(0, RedisCommand("SET", ClusterKeys.seat(ann.identity.room, .caller), words))
        #expect(try await bench.claim(ann, again: true) == .granted(since: 0, replaced: nil, others: []))
        try await bench.close()
    }

    @Test("Only the holder of a role can release it, and the reply names the room's other member")
    func releaseByHolder() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let ann = try bench.member(0, "Ann", .caller)
        let eve = try bench.member(1, "Eve", .caller)
        let bob = try bench.member(1, "Bob", .callee)
        _ = try await bench.claim(ann)
        let early = try await bench.release(eve)
        #expect(early?.wasHeld == false && early?.holder?.timeless == ann && early?.other == nil)
        _ = try await bench.claim(bob)
        let release = try await bench.release(ann)
        #expect(release?.wasHeld == true && release?.holder == nil && release?.other?.timeless == bob)
        let late = try await bench.release(ann)
        #expect(late?.wasHeld == false && late?.holder == nil)
        #expect(try await bench.claim(eve) == .granted(since: 0, replaced: nil, others: [bob]))
        try await bench.close()
    }

    @Test(
        "The reply to a release states whether the same client has the role on another server",
        arguments: [false, true]
    )
    func releaseOfMovedClient(isOpen: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: isOpen)
        let old = try bench.member(0, "Bob", .callee, key: "k")
        let new = try bench.member(1, "Bob", .callee, key: "k")
        _ = try await bench.claim(old)
        _ = try await bench.claim(new)
        let release = try #require(try await bench.release(old))
        #expect(release.isReturn(of: old))
        #expect(release.holder?.timeless == new)
        let last = try #require(try await bench.release(new))
        #expect(!last.isReturn(of: new))
        try await bench.close()
    }

    @Test("A server without a heartbeat keeps its roles while it may still reconnect")
    func seatsOfSilentServer() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let ann = try bench.member(0, "Ann", .caller)
        let eve = try bench.member(1, "Eve", .caller)
        _ = try await bench.claim(ann)
        try await bench.die(0)
        try await bench.trust(1, false)
        #expect(try await bench.claim(eve) == .refused(holder: ann, isFull: false))
        try await bench.trust(1, true)
        #expect(try await bench.claim(eve) == .granted(since: 0, replaced: nil, others: []))
        try await bench.close()
    }

    @Test("Join times come from the clock of Redis, not from the server's", arguments: [false, true])
    func redisClock(isOpen: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: isOpen)
        var (old, new) = (
            try bench.member(0, "Bob", .callee, key: "k"), try bench.member(1, "Bob", .callee, key: "k")
        )
        // The server's clock is a day ahead.
        old.since = Int(Date.now.timeIntervalSince1970 * 1000) + 86_400_000
        guard case .granted(let since, nil, _) = try await bench.timedClaim(old, age: .hours(2)) else {
            Issue.record("not granted")
            return
        }
        #expect(since < old.since - 80_000_000)
        #expect(
            try await bench.claim(new, again: true) == .granted(since: 0, replaced: old.timeless, others: [])
        )
        // A repeated claim does not change the join time.
        guard case .granted(let first, _, _) = try await bench.timedClaim(new),
            case .granted(let second, _, _) = try await bench.timedClaim(new, again: true)
        else {
            Issue.record("not granted")
            return
        }
        #expect(first == second)
        new.since = 0
        #expect(
            try await bench.claim(old, again: true, age: .hours(1)) == .refused(holder: new, isFull: isOpen)
        )
        try await bench.close()
    }

    @Test("A claim with the same client key moves a role to another server permanently")
    func keyMovesSeatOnce() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let old = try bench.member(0, "Bob", .callee, key: "k")
        let new = try bench.member(1, "Bob", .callee, key: "k")
        _ = try await bench.claim(old)
        #expect(try await bench.claim(new) == .granted(since: 0, replaced: old, others: []))
        #expect(
            try await bench.claim(old, again: true, age: .hours(1)) == .refused(holder: new, isFull: false)
        )
        try await bench.close()
    }

    @Test("The later of two connections of a client keeps the role", arguments: [false, true])
    func laterConnectionWins(isOpen: Bool) async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: isOpen)
        let old = try bench.member(0, "Bob", .callee, key: "k")
        let new = try bench.member(1, "Bob", .callee, key: "k")
        _ = try await bench.claim(old, again: true, age: .hours(2))
        #expect(
            try await bench.claim(new, again: true, age: .hours(1))
                == .granted(since: 0, replaced: old, others: [])
        )
        #expect(
            try await bench.claim(old, again: true, age: .hours(2))
                == .refused(holder: new, isFull: isOpen)
        )
        try await bench.close()
    }

    @Test("The role of a member with a lost connection is granted to another client")
    func seatOfLostConnection() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let bob = try bench.member(0, "Bob", .callee)
        let rob = try bench.member(1, "Rob", .callee)
        _ = try await bench.claim(bob)
        try await bench.lose(bob)
        #expect(try await bench.claim(rob) == .granted(since: 0, replaced: bob, others: []))
        try await bench.close()
    }

    @Test("The capacity of an open room counts only members on live servers")
    func openRoomCapacityOfLiveServers() async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: true)
        let members = try (0..<4).map { try bench.member($0 % 2, "n\($0)", .callee) }
        for member in members.prefix(3) {
            guard case .granted(_, nil, _) = try await bench.claim(member) else {
                Issue.record("\(member) was refused")
                return
            }
        }
        #expect(try await bench.claim(members[3]) == .refused(holder: nil, isFull: true))
        try await bench.die(0)
        #expect(try await bench.claim(members[3]) == .granted(since: 0, replaced: nil, others: [members[1]]))
        try await bench.close()
    }
}
