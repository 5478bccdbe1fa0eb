import Basics
import CallCore
import NIOCore
import NIOPosix
import RedisKit
import SocketIO

@testable import SignalingServer

/// A simulated second server of the cluster, whose actions the test controls.
final class Neighbour: Sendable {
    enum Heard: Hashable, Sendable {
        /// A published event, with its name and the id of the socket that is excluded.
        case event(String, except: String)
        case message(JSON)
        /// A request of another server, with the uid of that server and the id of the request.
        case request(uid: String, id: String)
    }

    private final class Ends: RedisLinkDelegate {
        var seats: SeatRegistry
        let subscription: RedisLink
        let opened: EventLoopPromise<Void>
        let hear: AsyncStream<Heard>.Continuation

        init(_ redis: RedisConfiguration, on loop: any EventLoop, _ hear: AsyncStream<Heard>.Continuation)
            throws
        {
            let link = try RedisLink(redis, for: .commands, name: "test", eventLoop: loop)
            seats = SeatRegistry(link: link, node: Neighbour.node, isOpen: false, capacity: 3)
            let channels = [AdapterChannels.requests, AdapterChannels.nodes]
            let patterns = [AdapterChannels.broadcastPattern]
            let purpose = RedisLink.Purpose.subscription(channels: channels, patterns: patterns)
            subscription = try RedisLink(redis, for: purpose, name: "test", eventLoop: loop)
            opened = loop.makePromise()
            self.hear = hear
            link.delegate = self
            subscription.delegate = self
            link.start()
            loop.scheduleTask(in: .seconds(60)) { [opened] in opened.fail(TestFailure("no answer of Redis")) }
        }

        func linkDidOpen(_ link: RedisLink) {
            guard link !== subscription else { return opened.succeed() }
            link.post(RedisCommand("SET", ClusterKeys.heartbeat(of: Neighbour.node), 1))
            subscription.start()
        }

        func link(_ link: RedisLink, didClose error: RedisError, unanswered: Int) {}
        func link(_ link: RedisLink, didRefuse words: String) {}

        func link(_ link: RedisLink, didReceive payload: RESPValue, on channel: String, pattern: String?) {
            guard let bytes = payload.bytes.map({ Array($0.readableBytesView) }) else { return }
            if let broadcast = try? AdapterBroadcast(bytes), broadcast.node != Neighbour.node {
                hear.yield(.event(broadcast.packet.eventName ?? "", except: broadcast.except.first ?? ""))
            } else if let json = try? JSON(parsing: bytes), json["node"]?.stringValue != Neighbour.node {
                if let uid = json["uid"]?.stringValue {
                    hear.yield(.request(uid: uid, id: json["requestId"]?.stringValue ?? ""))
                } else {
                    hear.yield(.message(json))
                }
            }
        }
    }

    static let node = "~other"

    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let ends: NIOLoopBound<Ends>
    let heard: AsyncStream<Heard>

    init(_ redis: RedisConfiguration) async throws {
        let (heard, hear) = AsyncStream.makeStream(of: Heard.self)
        self.heard = heard
        let loop = loop
        ends = try await loop.submit {
            NIOLoopBound(try Ends(redis, on: loop, hear), eventLoop: loop)
        }.get()
        try await loop.flatSubmit { self.ends.value.opened.futureResult }.get()
    }

    func close() async throws {
        try await loop.submit {
            self.ends.value.seats.link.stop()
            self.ends.value.subscription.stop()
        }.get()
    }

    /// Creates a member of room 1 that is connected to this server.
    static func member(_ name: String, _ role: Role, sid: String, key: String? = nil, since: Int = 0) throws
        -> RemoteMember
    {
        let room = try RoomID("1")
        var member = RemoteMember(
            node: node,
            sid: sid,
            identity: Identity(username: try Username(name), room: room),
            role: role,
            keyHash: key.map { ClusterKeys.hash($0, room: room, role: role) }
        )
        member.since = since
        return member
    }

    @discardableResult
    func redis(_ words: any RedisWord...) async throws -> RESPValue {
        let command = RedisCommand(words)
        return try await loop.flatSubmit { self.ends.value.seats.link.send(command) }.get()
    }

    func claim(_ member: RemoteMember) async throws -> SeatClaim? {
        let answer = try await loop.flatSubmit { self.ends.value.seats.claim(member) }.get()
        return SeatClaim(answer, room: member.identity.room, isOpen: false)
    }

    /// Marks the member's connection as lost in Redis.
    func lose(_ member: RemoteMember) async throws {
        try await loop.submit {
            self.ends.value.seats.lose(sid: member.sid, room: member.identity.room, role: member.role)
        }.get()
        try await redis("PING")
    }

    /// Records in Redis that this server has stopped cleanly, and announces the stop.
    ///
    /// Its last heartbeat expires after `time`.
    func stop(for time: TimeAmount) async throws {
        try await loop.submit { self.ends.value.seats.stop(for: time) }.get()
        try await post(.gone)
    }

    func post(_ message: NodeMessage) async throws {
        try await redis("PUBLISH", AdapterChannels.nodes, message.json(from: Self.node).serialized())
    }

    /// Publishes an event to the members of the rooms, except to the sockets and rooms in `except`.
    func publish(
        _ event: String,
        _ argument: JSON = [:],
        from node: String = Neighbour.node,
        rooms: [String] = ["1"],
        except: [String] = []
    ) async throws {
        let packet = SocketPacket.event(event, [argument])
        let broadcast = AdapterBroadcast(node: node, packet, rooms: rooms, except: except)
        try await redis("PUBLISH", broadcast.channel, broadcast.encoded)
    }

    func reportJoin(_ member: RemoteMember) async throws {
        try await publishPresence("room_user_joined", member)
    }

    func reportLeave(_ member: RemoteMember) async throws {
        try await publishPresence("room_user_left", member)
    }

    private func publishPresence(_ event: String, _ member: RemoteMember) async throws {
        let person: JSON = [
            "username": .string(member.identity.username.value), "roomId": 1,
            "isCaller": .bool(member.role == .caller),
        ]
        try await publish(event, person, except: [member.sid])
    }

    /// Waits for the first matching event, message or request, and skips everything before it.
    func hear(_ isMeant: (Heard) -> Bool) async throws -> Heard {
        for await one in heard where isMeant(one) { return one }
        throw TestFailure("nothing is heard any more")
    }

    /// Waits for the next message of the given type, and skips everything before it.
    func message(_ type: String) async throws -> NodeMessage {
        let heard = try await hear {
            if case .message(let json) = $0 { json["type"]?.stringValue == type } else { false }
        }
        guard case .message(let json) = heard else { throw TestFailure("no message") }
        return try NodeMessage.read(Array(json.serialized().utf8)).message
    }
}
