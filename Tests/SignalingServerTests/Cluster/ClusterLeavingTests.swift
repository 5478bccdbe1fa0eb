import CallCore
import NIOCore
import RedisKit
import SocketIO
import Testing

@testable import SignalingServer

/// Who leaves a shared room is told as gone once, whatever has become of its place meanwhile.
@Suite(.enabled(if: RedisProcess.isInstalled), .timeLimit(.minutes(1)))
struct ClusterLeavingTests {
    @Test func alsoWhereRedisHasForgottenTheSeat() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                try await bench.join("Ann", true) { ann in
                    #expect(try await bob.told(bench.neighbour) == ["+Ann"])
                    try await bench.neighbour.redis("FLUSHALL")
                    try await ann.leave()
                    try await bench.isLogged("left")
                    #expect(try await bob.told(bench.neighbour) == ["-Ann"])
                }
            }
        }
    }

    @Test func alsoWhereAStrangerHasTheSeatByNow() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Bob", false) { bob in
                try await bench.join("Ann", true) { ann in
                    try await bench.neighbour.redis("FLUSHALL")
                    let eve = try Neighbour.member("Eve", .caller, sid: "e")
                    _ = try await bench.neighbour.claim(eve)
                    try await ann.leave()
                    try await bench.isLogged("left")
                    #expect(try await bob.told(bench.neighbour) == ["+Ann", "-Ann"])
                }
            }
        }
    }

    @Test func butNotWhereTheClientGoesOnElsewhereWhichIsHeardLater() async throws {
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
                #expect(try await bob.told(bench.neighbour) == ["+Ann"])
                try await bench.neighbour.tellLeft(moved)
                #expect(try await bob.told(bench.neighbour) == ["-Ann"])
            }
        }
    }

    @Test func alsoToWhoComesElsewhereAtThatMoment() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                // Its server has not told of it yet.
                _ = try await bench.neighbour.claim(try Neighbour.member("Bob", .callee, sid: "b"))
                try await ann.leave()
                let left = try await bench.neighbour.hear {
                    if case .event("room_user_left", _) = $0 { true } else { false }
                }
                #expect(left != .event("room_user_left", except: ""))
            }
        }
    }

    @Test func butNotWhileItComesBackWithItsKey() async throws {
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
                        #expect(try await bob.told(bench.neighbour) == ["+Ann"])
                        try await again.isHeard(by: bob)
                    }
                }
            }
        }
    }

    @Test func theSeatOfWhoIsGoneBeforeItIsLetInIsFree() async throws {
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
            // Its server has lost the seat all the same.
            #expect(try await bench.neighbour.message("ousted") == .ousted(sid: "r", room: try RoomID("1")))
            try await bench.isDone()
            guard case .granted = try await bench.neighbour.claim(eve) else {
                Issue.record("the seat is taken")
                return
            }
        }
    }

    @Test func whoWasHereBeforeKeepsTheSeatWhenItsNewConnectionIsGoneBeforeItIsLetIn() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true, key: "k") { _ in
                try await bench.come("Ann", true) { again in
                    try await bench.holding {
                        try await again.ask(key: "k")
                        try await again.end()
                    }
                }
                // Comes after it.
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

    @Test func theSeatOfWhoIsRefusedInTheEndIsFree() async throws {
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
