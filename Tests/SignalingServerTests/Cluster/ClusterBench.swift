import Basics
import Logging
import NIOCore
import RedisKit
import SocketIO
import Testing

@testable import SignalingServer

/// A server that shares its rooms with a second server, which the test simulates.
struct ClusterBench: Sendable {
    let server: ListeningServer
    let neighbour: Neighbour
    /// The messages of the server's log, without metadata.
    let log: AsyncStream<String>

    private struct Log: LogHandler {
        let lines: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.yield("\(event.message)") }
    }

    /// Runs the server with a Redis server of its own.
    ///
    /// The default heartbeat is so long that no server is regarded as dead during a test.
    static func with(
        heartbeat: Duration = .seconds(300),
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (ClusterBench) async throws -> Void
    ) async throws {
        let redis = try RedisProcess()
        defer { redis.end() }
        let neighbour = try await Neighbour(try redis.configuration())
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.grace = .seconds(600)
        configuration.cluster = ClusterConfiguration(try redis.configuration())
        configuration.cluster?.heartbeat = heartbeat
        configure(&configuration)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "callrunner.server.test") { _ in Log(lines: line) }
        try await SignalingServer.run(configuration, logger: logger) { server in
            let bench = ClusterBench(server: server, neighbour: neighbour, log: lines)
            try await bench.isLogged("rooms are shared")
            try await body(bench)
        }
        try await neighbour.close()
    }

    /// Waits until the server logs the given message.
    func isLogged(_ line: String) async throws {
        for await one in log where one == line { return }
        throw TestFailure("“\(line)” is not logged")
    }

    /// Runs `body` on the server's event loop.
    func inside<R: Sendable>(_ body: @escaping @Sendable (EngineServer) throws -> R) async throws -> R {
        let signaling = server.signaling
        return try await signaling.eventLoop.submit { try body(signaling.value.engine) }.get()
    }

    /// Waits until Redis has executed all commands that the server has sent so far.
    func isDone() async throws {
        let signaling = server.signaling
        _ = try await signaling.eventLoop.flatSubmit {
            signaling.value.engine.rooms.cluster?.link.commands.send(RedisCommand("PING"))
                ?? signaling.eventLoop.makeFailedFuture(TestFailure("there is no cluster"))
        }.get()
    }

    /// Makes the server leave the cluster.
    func leaveCluster() async throws {
        let signaling = server.signaling
        try await signaling.eventLoop.flatSubmit {
            signaling.value.engine.rooms.cluster?.close()
                ?? signaling.eventLoop.makeFailedFuture(TestFailure("there is no cluster"))
        }.get()
    }

    /// Pauses all writes to Redis until `body` has returned.
    func holding<R>(_ body: () async throws -> R) async throws -> R {
        try await neighbour.redis("CLIENT", "PAUSE", 600_000, "WRITE")
        let result = try await body()
        try await neighbour.redis("CLIENT", "UNPAUSE")
        return result
    }

    /// Joins room 1 of the server and runs `body` with the member.
    func join<R>(_ name: String, _ isCaller: Bool, key: String? = nil, _ body: (TestPeer) async throws -> R)
        async throws -> R
    {
        try await TestPeer.with(server, as: name, isCaller, key: key, body)
    }

    /// Connects a client to the server and runs `body` with it.
    ///
    /// The client has not requested to join.
    func come<R>(_ name: String, _ isCaller: Bool, _ body: (TestPeer) async throws -> R) async throws -> R {
        try await TestPeer.with(server, query: "roomId=1&username=\(name)&isCaller=\(isCaller)", body)
    }
}

extension TestPeer {
    /// Returns the joins (`+Bob`) and departures (`-Bob`) received due to all earlier publications.
    func presenceChanges(_ neighbour: Neighbour) async throws -> [String] {
        try await neighbour.publish("mark")
        var presenceChanges: [String] = []
        while let packet = try await next(), packet.eventName != "mark" {
            let name = packet.arguments.first?["username"]?.stringValue ?? ""
            switch packet.eventName {
            case "room_user_joined": presenceChanges.append("+\(name)")
            case "room_user_left": presenceChanges.append("-\(name)")
            default: continue
            }
        }
        return presenceChanges
    }

    /// Sends a request to join and waits until the server has read it.
    func ask(key: String? = nil) async throws {
        try await send(SocketPacket(type: .connect, payload: key.map { ["key": .string($0)] }))
        try await isHeard()
    }

    /// Sends an Engine.IO close packet and waits until the server has ended the session.
    func end() async throws {
        try await socket.send("1")
        while try await next() != nil {}
    }

    func leave() async throws { try await send(SocketPacket(type: .disconnect)) }
}
