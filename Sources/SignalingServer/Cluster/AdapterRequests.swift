internal import Basics
internal import CallCore
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// The requests between servers in the protocol of `@socket.io/redis-adapter`, and the responses to them.
///
/// Confined to the server's event loop.
final class AdapterRequests {
    /// The types of requests, and of the two responses to a broadcast, as in `@socket.io/redis-adapter`.
    enum RequestType: Int {
        case sockets, allRooms, join, leave, disconnect, fetch, serverSideEmit, broadcast, clientCount, ack
    }

    /// The maximum length in bytes of a request's id, which is stored until all requested acks have arrived.
    private static let maximumRequestID = 128
    /// The maximum size in bytes of one response, and of all earlier responses that Redis has not confirmed yet.
    static let maximumAnswers = 8 << 20
    /// The maximum number of rooms whose members one request asks for.
    private static let maximumAsked = 256

    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let remote: RemoteMembers
    private let nodes: ClusterNodes
    private let events: EventRelay
    private(set) var acks = ClusterAcks()
    /// The handlers of member lists requested from foreign servers, which are other Socket.IO
    /// implementations.
    ///
    /// They are separate from `acks`, because each join requests such a list and would displace an ack.
    private var fetches = ClusterAcks()
    /// The size in bytes of responses that Redis has not confirmed yet.
    var bytesAnswered = 0

    init(
        _ link: ClusterLink,
        rooms: Rooms,
        remote: RemoteMembers,
        nodes: ClusterNodes,
        events: EventRelay
    ) {
        self.link = link
        self.rooms = rooms
        self.remote = remote
        self.nodes = nodes
        self.events = events
        nodes.onForeigners = { [weak self] in
            guard let self else { return }
            requestForeignMembers(self.rooms.roomIDs)
        }
    }

    // MARK: - Our requests

    /// Relays an event to the room's only other member, on another server, and returns that member's ack to
    /// `origin`.
    func relay(_ packet: SocketPacket, from member: Member, ack: Int, to origin: SocketConnection) {
        let id = expectAck { [weak self, weak origin] answer in
            guard let origin, let id = answer["requestId"]?.stringValue else { return }
            self?.acks.forget(id)
            origin.acknowledge(ack, [answer["packet"] ?? .null])
        }
        link.publish(packet, to: "\(member.identity.room)", except: [member.sid], ack: id)
    }

    /// Registers the handler of an ack, and returns the id for the request.
    func expectAck(_ answer: @escaping (JSON) -> Void) -> String { acks.expect(answer) }

    /// Discards all handlers, so that responses to earlier requests are ignored.
    func forgetAll() {
        acks.forgetAll()
        fetches.forgetAll()
    }

    /// Requests the members of rooms from foreign servers (other Socket.IO implementations), and announces
    /// each of them.
    func requestForeignMembers(_ asked: [RoomID]) {
        guard nodes.foreignCount > 0 else { return }
        for start in stride(from: 0, to: asked.count, by: Self.maximumAsked) {
            let names = asked[start..<min(start + Self.maximumAsked, asked.count)].map {
                JSON.string("\($0)")
            }
            let id = fetches.expect { [weak self] answer in self?.receiveSockets(answer) }
            let request: JSON = [
                "uid": .string(link.node), "requestId": .string(id),
                "type": .int(RequestType.fetch.rawValue),
                "opts": ["rooms": .array(names), "except": []],
            ]
            link.publish(AdapterChannels.requests, Array(request.serialized().utf8))
        }
    }

    private func receiveSockets(_ answer: JSON) {
        for socket in answer["sockets"]?.arrayValue ?? [] {
            guard let sid = socket["id"]?.stringValue, rooms.membersByID[sid] == nil,
                let names = try? AdapterBroadcast.names(socket["rooms"])
            else { continue }
            for room in names.compactMap({ try? RoomID($0) }) where remote.concerns(room) {
                let query = socket["handshake"]?["query"]
                let member = RemoteMember(
                    parsing: query,
                    node: RemoteMember.unknownNode,
                    sid: sid,
                    room: room
                )
                if let member, remote.add(member) { rooms.reportJoin(member) }
            }
        }
    }

    /// Handles another server's response to a request of this server.
    func receive(response bytes: [UInt8]) throws(AdapterRefusal) {
        guard let response = Self.read(bytes), let id = response["requestId"]?.stringValue else {
            throw .malformed
        }
        guard let handler = awaited(id) else { return }
        // The client count is ignored, because acks are only requested from a single client.
        guard response["type"]?.intValue != RequestType.clientCount.rawValue else { return }
        handler(response)
    }

    /// Finds the handler of responses to a request; nil if none are expected by this server.
    private func awaited(_ id: String) -> ((JSON) -> Void)? { acks.answer(to: id) ?? fetches.answer(to: id) }

    /// Decodes JSON or MessagePack, depending on the first byte; nil if the bytes are malformed.
    private static func read(_ bytes: [UInt8]) -> JSON? {
        bytes.first == UInt8(ascii: "{") ? try? JSON(parsing: bytes) : try? MessagePackDecoder.decode(bytes)
    }

    // MARK: - Requests of other servers

    /// Answers or carries out another server's request.
    func receive(request bytes: [UInt8]) throws(AdapterRefusal) {
        guard let request = Self.read(bytes), request.objectValue != nil,
            let type = request["type"]?.intValue.flatMap(RequestType.init)
        else { throw .malformed }
        let id = request["requestId"]?.stringValue
        guard id?.utf8.count ?? 0 <= Self.maximumRequestID else { throw .malformed }
        guard request["uid"]?.stringValue != link.node, id.flatMap(awaited) == nil else {
            return
        }
        switch type {
        case .sockets:
            let rooms = try AdapterBroadcast.names(request["rooms"])
            let sids = self.rooms.members(in: rooms, except: []).map { JSON.string($0.sid) }
            try answer(id, "sockets", .array(sids))
        case .allRooms: try answer(id, "rooms", .array(rooms.names.map(JSON.string)))
        case .fetch:
            // callrunner servers read this data from Redis and need no response.
            if let asker = request["uid"]?.stringValue, link.isOurs(asker) { return }
            let members = try members(request["opts"])
            try answer(id, "sockets", .array(members.map(Self.described)))
        case .disconnect: try disconnect(request, id)
        case .broadcast: try broadcast(request, id)
        case .join, .leave: throw .unsupported
        // This server has no listeners for server-side events; the other two types are responses.
        case .serverSideEmit, .clientCount, .ack: break
        }
    }

    /// Publishes a response, unless the request has no id; throws `AdapterRefusal.tooBusy` if the response is
    /// too large, or too many bytes of earlier responses wait for Redis.
    ///
    /// The limit is necessary because a small request may have a large response, and the connection to Redis
    /// is closed if too much output waits.
    private func answer(_ id: String?, _ name: String, _ value: @autoclosure () -> JSON)
        throws(AdapterRefusal)
    {
        guard let id else { return }
        guard bytesAnswered < Self.maximumAnswers else { throw .tooBusy }
        let answer: JSON = ["requestId": .string(id), name: value()]
        let bytes = Array(answer.serialized().utf8)
        guard bytes.count < Self.maximumAnswers else { throw .tooBusy }
        bytesAnswered += bytes.count
        link.commands.send(RedisCommand("PUBLISH", AdapterChannels.responses, bytes)).assumeIsolated()
            .whenComplete { [weak self] _ in self?.bytesAnswered -= bytes.count }
    }

    private func respond(_ json: JSON) {
        link.publish(AdapterChannels.responses, Array(json.serialized().utf8))
    }

    private func members(_ options: JSON?) throws(AdapterRefusal) -> [Member] {
        rooms.members(
            in: try AdapterBroadcast.names(options?["rooms"]),
            except: try AdapterBroadcast.names(options?["except"])
        )
    }

    private func disconnect(_ request: JSON, _ id: String?) throws(AdapterRefusal) {
        let isWhole = request["close"]?.boolValue ?? false
        if let options = request["opts"] {
            for member in try members(options) { member.socket?.disconnect(closing: isWhole) }
        } else if let sid = request["sid"]?.stringValue {
            guard let member = rooms.members(in: [sid], except: []).first else { return }
            member.socket?.disconnect(closing: isWhole)
            if let id { respond(["requestId": .string(id)]) }
        } else {
            throw .malformed
        }
    }

    /// Delivers another server's event to local members, requests an ack from each, and publishes the acks.
    private func broadcast(_ request: JSON, _ id: String?) throws(AdapterRefusal) {
        guard let id, let packet = request["packet"] else { throw .malformed }
        let broadcast = try AdapterBroadcast(
            node: request["uid"]?.stringValue ?? "",
            packet: packet,
            options: request["opts"] ?? [:]
        )
        events.deliver(broadcast) { count in
            respond([
                "type": .int(RequestType.clientCount.rawValue), "requestId": .string(id),
                "clientCount": .int(count),
            ])
        } _: { [weak link] arguments in
            let answer: JSON = [
                "type": .int(RequestType.ack.rawValue), "requestId": .string(id),
                "packet": arguments.first ?? .null,
            ]
            link?.publish(AdapterChannels.responses, MessagePackEncoder.encode(answer))
        }
    }

    /// Describes a member in the format of `fetchSockets`, with only the handshake fields that all members of the room
    /// are allowed to see.
    private static func described(_ member: Member) -> JSON {
        let room = "\(member.identity.room)"
        return [
            "id": .string(member.sid),
            "handshake": [
                "query": [
                    "roomId": .string(room), "username": .string(member.identity.username.value),
                    "isCaller": .string("\(member.role == .caller)"),
                ]
            ],
            "rooms": [.string(member.sid), .string(room)],
            "data": [:],
        ]
    }
}

extension AdapterBroadcast {
    /// Encodes the event as a request for an ack from each recipient.
    func request(id: String) -> [UInt8] {
        MessagePackEncoder.encode([
            "uid": .string(node), "requestId": .string(id),
            "type": .int(AdapterRequests.RequestType.broadcast.rawValue),
            "packet": ["type": 2, "data": .array(data), "nsp": "/"],
            "opts": [
                "rooms": .array(rooms.map(JSON.string)), "except": .array(except.map(JSON.string)),
                "flags": [:],
            ],
        ])
    }
}
