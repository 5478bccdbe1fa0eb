import Basics
import CallCore
import HTTPFront
import Logging
import NIOCore
import NIOPosix
import RedisKit
import Testing

@testable import SignalingServer

/// Announcements of joins and departures after an outage of Redis.
@Suite(.enabled(if: RedisProcess.isInstalled), .timeLimit(.minutes(4)))
struct ClusterHealingTests {
    private static let foreigner = "Jvhtew"

    @Test(
        "After an outage, a server announces its members again only if its heartbeat had expired",
        arguments: [true, false]
    )
    func announcedAgainAfterDeath(wasKnown: Bool) async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                let bob = try Neighbour.member("Bob", .callee, sid: "b")
                _ = try await bench.neighbour.claim(bob)
                try await bench.neighbour.reportJoin(bob)
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Bob"])
                let node = try await bench.inside { $0.rooms.cluster?.link.node ?? "" }
                if !wasKnown { try await bench.neighbour.redis("DEL", ClusterKeys.heartbeat(of: node)) }
                try await bench.cutOff()
                try await bench.isLogged("rooms are shared")
                // Waits for the claim, then for the publications that result from it.
                for _ in 0..<2 { try await bench.isDone() }
                try await bench.neighbour.publish("mark", from: Self.foreigner)
                let heard = try await bench.neighbour.hear {
                    if case .event(let name, _) = $0 {
                        ["mark", "room_user_joined"].contains(name)
                    } else {
                        false
                    }
                }
                #expect((heard == .event("mark", except: "")) == wasKnown)
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
            }
        }
    }

    @Test("Node.js servers are regarded as gone only after two consecutive checks find none")
    func foreignServersGone() async throws {
        try await ClusterBench.with { bench in
            try await bench.join("Ann", true) { ann in
                try await bench.isDone()
                let zoe: JSON = ["username": "Zoe", "roomId": 1, "isCaller": false]
                try await bench.neighbour.publish(
                    "room_user_joined",
                    zoe,
                    from: Self.foreigner,
                    except: ["z"]
                )
                #expect(try await ann.presenceChanges(bench.neighbour) == ["+Zoe"])
                // Soon after an outage these checks do not count, because servers may still reconnect.
                for _ in 0..<3 { try await bench.lookForServers() }
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
                try await bench.inside { $0.rooms.cluster?.link.seats.trustsUntil = .now() }
                try await bench.inside { $0.rooms.cluster?.nodes.updateForeignServers(1) }
                try await bench.lookForServers()
                #expect(try await ann.presenceChanges(bench.neighbour) == [])
                try await bench.lookForServers()
                #expect(try await ann.presenceChanges(bench.neighbour) == ["-Zoe"])
            }
        }
    }

    @Test("A server that cannot bind its port closes its connections to Redis")
    func failedListener() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        // A listener takes the place of Redis, and occupies the port of the server.
        let redis = try await ServerBootstrap(group: loop)
            .childChannelInitializer { channel in
                channel.closeFuture.whenComplete { _ in end.yield() }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = redis.localAddress?.port ?? 0
        var configuration = ServerConfiguration()
        configuration.port = port
        configuration.cluster = ClusterConfiguration(
            RedisConfiguration(try RedisAddress("redis://127.0.0.1:\(port)"))
        )
        configuration.cluster?.redis.timeout = .seconds(600)
        // The monitor retains the server, as in a process that continues after the failure.
        let monitor = ServerMonitor()
        let failed = configuration
        await #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: port)) {
            _ = try await SignalingServer.open(
                failed,
                on: loop,
                tasks: RequestTasks(),
                monitor: monitor,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        }
        var ended = ends.makeAsyncIterator()
        for _ in 0..<2 { _ = await ended.next() }
        monitor.attach(nil)
        try await redis.close()
    }
}

extension ClusterBench {
    /// Closes one of the server's connections to Redis, and waits until the server has noticed.
    fileprivate func cutOff() async throws {
        let connections = try await neighbour.redis("CLIENT", "LIST").text ?? ""
        let line = try #require(connections.split(separator: "\n").first { $0.contains(" name=callrunner~") })
        let id = line.split(separator: " ")[0].dropFirst("id=".count)
        try await neighbour.redis("CLIENT", "KILL", "ID", String(id))
        try await isLogged("connection to Redis lost, rooms are not shared")
    }

    /// Makes the server check which other servers exist.
    fileprivate func lookForServers() async throws {
        try await inside { $0.rooms.cluster?.nodes.update() }
        try await isDone()
    }
}
