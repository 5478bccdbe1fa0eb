import CallCore
import NIOCore
import RedisKit
import SocketIO
import Testing

@testable import SignalingServer

/// Departures from rooms that servers share.
///
/// Each departure must be reported exactly once.
@Suite(.enabled(if: RedisProcess.isInstalled), .timeLimit(.minutes(4)))
struct ClusterLeavingTests {
    @Test("A departure is reported even if Redis has lost the member's entry")
    func departureWithLostSeat() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                try await bench.join("Ann", true) { ann in
                    #expect(try await bob.presenceChanges(bench.neighbour) == ["+Ann"])
                    try await bench.neighbour.redis("FLUSHALL")
                    try await ann.leave()
                    try await bench.isLogged("left")
                    #expect(try await bob.presenceChanges(bench.neighbour) == ["-Ann"])
                }
            }
        }
    }

    @Test("A departure is reported even if another client has already claimed the member's role")
    func departureAfterSeatChange() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                try await bench.join("Ann", true) { ann in
                    try await bench.neighbour.redis("FLUSHALL")
                    let eve = try Neighbour.member("Eve", .caller, sid: "e")
                    _ = try await bench.neighbour.claim(eve)
                    try await ann.leave()
                    try await bench.isLogged("left")
                    #expect(try await bob.presenceChanges(bench.neighbour) == ["+Ann", "-Ann"])
                }
            }
        }
    }

    @Test("A departure is not reported if the client changed servers, even if that is reported later")
    func movedClientIsNotReported() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                let again = try Neighbour.member("Ann", .caller, sid: "a", key: "k")
                let claim = try await bench.join("Ann", true, key: "k") { ann in
                    let claim = try await bench.neighbour.claim(again)
                    try await ann.leave()
                    try await ann.isHeard()
                    try await bench.isDone()
                    return claim
                }
                guard case .granted(let since, let replaced?, _) = claim else {
                    Issue.record("the seat is not taken along")
                    return
                }
                var moved = again
                moved.since = since
                try await bench.neighbour.post(.moved(sid: replaced.sid, to: moved, again: false))
                #expect(try await bob.presenceChanges(bench.neighbour) == ["+Ann"])
                try await bench.neighbour.reportLeave(moved)
                #expect(try await bob.presenceChanges(bench.neighbour) == ["-Ann"])
            }
        }
    }

    @Test("A departure is reported to a server whose member has claimed a role but is not announced yet")
    func departureDuringRemoteJoin() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                // Bob's server has claimed his role, but has not announced his join yet.
                _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
                try await ann.leave()
                let left = try await bench.neighbour.hear {
                    if case .event("room_user_left", _) = $0 { true } else { false }
                }
                #expect(left != .event("room_user_left", except: ""))
            }
        }
    }

    @Test("A departure is not reported while the client rejoins with the same client key")
    func returningClientIsNotReported() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                try await bench.join("Ann", true, key: "k") { ann in
                    try await bench.come("Ann", true) { again in
                        try await bench.holding {
                            try await again.ask(key: "k")
                            try await ann.leave()
                            try await ann.isHeard()
                        }
                        #expect(try await again.next()?.type == .connect)
                        #expect(try await bob.presenceChanges(bench.neighbour) == ["+Ann"])
                        try await again.isHeard(by: bob)
                    }
                }
            }
        }
    }

    @Test("If a client disconnects before its join completes, its role becomes free again")
    func seatAfterAbandonedJoin() async throws {
        try await ClusterBench.with { bench in
            let (rob, eve) = (
                try Neighbour.member("Rob", .callee, sid: "r"), try Neighbour.member("Eve", .callee, sid: "e")
            )
            _ = try await bench.neighbour.claim(rob)
            try await bench.neighbour.lose(rob)
            try await bench.come("Bob", false) { bob in
                try await bench.holding {
                    try await bob.ask()
                    try await bob.end()
                }
            }
            // The server of Rob, the previous member, is notified that he has lost the role.
            #expect(try await bench.neighbour.message("ousted") == .ousted(sid: "r", room: try RoomID("1")))
            try await bench.isDone()
            guard case .granted = try await bench.neighbour.claim(eve) else {
                Issue.record("the seat is taken")
                return
            }
        }
    }

    @Test("A member keeps its role if its new connection is lost before the rejoin completes")
    func seatKeptAfterAbandonedRejoin() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true, key: "k") { _ in
                try await bench.come("Ann", true) { again in
                    try await bench.holding {
                        try await again.ask(key: "k")
                        try await again.end()
                    }
                }
                // Joins of a room are handled in order, so Ann's has ended when this one succeeds.
                try await bench.join("Bob", false) { _ in }
                try await bench.isDone()
                guard
                    case .refused = try await bench.neighbour.claim(
                        try Neighbour.member("Eve", .caller, sid: "e")
                    )
                else {
                    Issue.record("the seat is free")
                    return
                }
            }
        }
    }

    @Test("If a join is refused after its role was claimed, the role becomes free again")
    func seatAfterRefusedJoin() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { _ in
                try await bench.come("Bob", false) { bob in
                    try await bench.holding {
                        try await bob.ask()
                        try await bench.inside { _ = $0.rooms.drain(within: .hours(1)) }
                    }
                    #expect(try await bob.next()?.type == .connectError)
                }
                try await bench.isDone()
                guard
                    case .granted = try await bench.neighbour.claim(
                        try Neighbour.member("Eve", .callee, sid: "e")
                    )
                else {
                    Issue.record("the seat is taken")
                    return
                }
                try await bench.inside { $0.rooms.close() }
            }
        }
    }
}
