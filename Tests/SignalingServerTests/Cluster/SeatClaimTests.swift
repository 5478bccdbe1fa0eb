import CallCore
import NIOCore
import NIOPosix
import RedisKit
import Testing

@testable import SignalingServer

/// Claims as servers make them, against a real Redis.
@Suite(.enabled(if: RedisProcess.isInstalled))
struct SeatClaimTests {
    @Test func tenThousandClaimsGiveEachSeatToOne() async throws {
        let (rooms, bench) = (50, try await ClaimBench(nodes: 4))
        let granted = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<10_000 {
                let (node, room) = (index % 4, 1 + index / 8 % rooms)
                let role: Role = index / 4 % 2 == 0 ? .caller : .callee
                let member = try bench.member(node, "n\(index)", role, room: room)
                group.addTask {
                    guard case .granted(nil, _) = try await bench.claim(member) else { return nil }
                    return "\(room) \(role) \(member.node)"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(granted.count == 10_000)
        // A server decides by itself among its own clients, so that each of its claims to its own seat is granted.
        let winners = Set(granted.compactMap(\.self))
        let seats = Set(winners.map { $0.split(separator: " ").prefix(2).joined(separator: " ") })
        #expect(seats.count == 2 * rooms)
        #expect(winners.count == 2 * rooms, "each seat has one server")
        try await bench.close()
    }

    @Test func aSeatIsOneServersUntilThatDies() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let ann = try bench.member(0, "Ann", .caller)
        let eve = try bench.member(1, "Eve", .caller)
        let bob = try bench.member(1, "Bob", .callee)
        #expect(try await bench.claim(ann) == .granted(replaced: nil, others: []))
        #expect(try await bench.claim(eve) == .refused(holder: ann, isFull: false))
        #expect(try await bench.claim(bob) == .granted(replaced: nil, others: [ann]))
        #expect(try await bench.claim(eve) == .refused(holder: ann, isFull: true))
        try await bench.die(0)
        #expect(try await bench.claim(eve) == .granted(replaced: nil, others: [bob]))
        try await bench.close()
    }

    @Test func aSeatIsGivenBackByWhoHasIt() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let ann = try bench.member(0, "Ann", .caller)
        let eve = try bench.member(1, "Eve", .caller)
        _ = try await bench.claim(ann)
        #expect(try await bench.release(eve) == 0)
        #expect(try await bench.release(ann) == 1)
        #expect(try await bench.release(ann) == 0)
        #expect(try await bench.claim(eve) == .granted(replaced: nil, others: []))
        try await bench.close()
    }

    @Test func theSameKeyTakesTheSeatAlongButNotBack() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let old = try bench.member(0, "Bob", .callee, key: "k")
        let new = try bench.member(1, "Bob", .callee, key: "k")
        _ = try await bench.claim(old)
        #expect(try await bench.claim(new) == .granted(replaced: old, others: []))
        #expect(try await bench.claim(old, again: true) == .refused(holder: new, isFull: false))
        try await bench.close()
    }

    @Test func theSeatOfALostConnectionIsGivenAway() async throws {
        let bench = try await ClaimBench(nodes: 2)
        let bob = try bench.member(0, "Bob", .callee)
        let rob = try bench.member(1, "Rob", .callee)
        _ = try await bench.claim(bob)
        try await bench.lose(bob)
        #expect(try await bench.claim(rob) == .granted(replaced: bob, others: []))
        try await bench.close()
    }

    @Test func anOpenRoomTakesItsCapacityOfLivingServers() async throws {
        let bench = try await ClaimBench(nodes: 2, isOpen: true)
        let members = try (0..<4).map { try bench.member($0 % 2, "n\($0)", .callee) }
        for member in members.prefix(3) {
            guard case .granted(nil, _) = try await bench.claim(member) else {
                Issue.record("\(member) was refused")
                return
            }
        }
        #expect(try await bench.claim(members[3]) == .refused(holder: nil, isFull: true))
        try await bench.die(0)
        #expect(try await bench.claim(members[3]) == .granted(replaced: nil, others: [members[1]]))
        try await bench.close()
    }
}
