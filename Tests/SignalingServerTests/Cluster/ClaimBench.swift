import CallCore
import NIOCore
import NIOPosix
import RedisKit

@testable import SignalingServer

/// Servers that only claim seats, the caller and callee roles of rooms, in a Redis server of their own.
final class ClaimBench: Sendable {
    private let redis: RedisProcess
    /// Not the shared group: thousands of claims would delay the connections of other tests.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let loop: any EventLoop
    private let nodes: NIOLoopBound<[Node]>
    private let isOpen: Bool

    private final class Node: RedisLinkDelegate {
        var seats: SeatRegistry
        let opened: EventLoopPromise<Void>

        init(_ id: String, _ redis: RedisConfiguration, on loop: any EventLoop, isOpen: Bool) throws {
            let link = try RedisLink(redis, for: .commands, name: "test", eventLoop: loop)
            seats = SeatRegistry(link: link, node: id, isOpen: isOpen, capacity: 3)
            opened = loop.makePromise()
            link.delegate = self
            link.start()
            loop.scheduleTask(in: .seconds(60)) { [opened] in opened.fail(TestFailure("no answer of Redis")) }
        }

        func linkDidOpen(_ link: RedisLink) {
            link.post(RedisCommand("SET", ClusterKeys.heartbeat(of: seats.node), 1))
            opened.succeed()
        }

        func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int) {}
        func link(_ link: RedisLink, didRefuse words: String) {}
        func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?) {}
    }

    init(nodes count: Int, isOpen: Bool = false) async throws {
        redis = try RedisProcess()
        self.isOpen = isOpen
        loop = group.next()
        let (configuration, loop) = (try redis.configuration(), loop)
        nodes = try await loop.submit {
            let nodes = try (0..<count).map { try Node("~\($0)", configuration, on: loop, isOpen: isOpen) }
            return NIOLoopBound(nodes, eventLoop: loop)
        }.get()
        for index in 0..<count {
            try await loop.flatSubmit { self.nodes.value[index].opened.futureResult }.get()
        }
    }

    func member(_ node: Int, _ name: String, _ role: Role, room: Int = 1, key: String? = nil) throws
        -> RemoteMember
    {
        let identity = Identity(username: try Username(name), room: try RoomID("\(room)"))
        let sid = SessionID.random().text
        return RemoteMember(node: "~\(node)", sid: sid, identity: identity, role: role, keyHash: key)
    }

    /// Claims a seat, and sets all times in the reply to 0, because they differ between runs.
    func claim(
        _ member: RemoteMember,
        again: Bool = false,
        age: TimeAmount = .zero,
        isKept: Bool = false
    ) async throws -> SeatClaim? {
        switch try await timedClaim(member, again: again, age: age, isKept: isKept) {
        case .granted(_, let replaced, let others):
            .granted(since: 0, replaced: replaced?.timeless, others: others.map(\.timeless))
        case .refused(let holder, let isFull): .refused(holder: holder?.timeless, isFull: isFull)
        case nil: nil
        }
    }

    func timedClaim(
        _ member: RemoteMember,
        again: Bool = false,
        age: TimeAmount = .zero,
        isKept: Bool = false
    ) async throws -> SeatClaim? {
        let answer = try await with(member) { $0.claim(member, again: again, age: age, isKept: isKept) }
        return SeatClaim(answer, room: member.identity.room, isOpen: isOpen)
    }

    func release(_ member: RemoteMember) async throws -> SeatRelease? {
        let answer = try await with(member) { $0.release(member) }
        return SeatRelease(answer, room: member.identity.room)
    }

    func lose(_ member: RemoteMember) async throws {
        _ = try await with(member) { seats in
            seats.lose(sid: member.sid, room: member.identity.room, role: member.role)
            return seats.link.send(RedisCommand("PING"))
        }
    }

    /// Sets whether a server regards other servers without a heartbeat as dead.
    func trust(_ node: Int, _ isTrusting: Bool) async throws {
        try await loop.submit {
            self.nodes.value[node].seats.trustsUntil = isTrusting ? .now() : .distantFuture
        }.get()
    }

    /// Deletes the server's heartbeat from Redis, as if the server had died.
    func die(_ node: Int) async throws {
        _ = try await ask(node, RedisCommand("DEL", ClusterKeys.heartbeat(of: "~\(node)")))
    }

    /// Stops the server cleanly.
    ///
    /// Its last heartbeat expires after an hour.
    func stop(_ node: Int) async throws {
        try await loop.submit { self.nodes.value[node].seats.stop(for: .hours(1)) }.get()
        _ = try await ask(node, RedisCommand("PING"))
    }

    /// Restores the server's heartbeat, as if it had never stopped.
    func live(_ node: Int) async throws {
        _ = try await ask(node, RedisCommand("SET", ClusterKeys.heartbeat(of: "~\(node)"), 1))
        _ = try await ask(node, RedisCommand("DEL", ClusterKeys.stop(of: "~\(node)")))
    }

    func ask(_ node: Int, _ command: RedisCommand) async throws -> RESPValue {
        try await loop.flatSubmit { self.nodes.value[node].seats.link.send(command) }.get()
    }

    func close() async throws {
        try await loop.submit { for node in self.nodes.value { node.seats.link.stop() } }.get()
        try await group.shutdownGracefully()
        redis.end()
    }

    private func with(
        _ member: RemoteMember,
        _ ask: @escaping @Sendable (SeatRegistry) -> EventLoopFuture<RESPValue>
    ) async throws -> RESPValue {
        let index = Int(member.node.dropFirst()) ?? 0
        return try await loop.flatSubmit { ask(self.nodes.value[index].seats) }.get()
    }
}

extension RemoteMember {
    /// A copy of the member with its join time set to 0.
    var timeless: RemoteMember {
        var member = self
        member.since = 0
        return member
    }
}
