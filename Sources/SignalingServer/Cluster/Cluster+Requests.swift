internal import CallCore
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// What servers ask each other, in the classic adapter's words.
extension Cluster {
    /// The adapter's numbers for requests, and for the two kinds of answers to one.
    enum RequestType: Int {
        case sockets, allRooms, join, leave, disconnect, fetch, serverSideEmit, broadcast, clientCount, ack
    }

    /// In bytes; it is kept until all are heard who are asked for an ack.
    private static let maximumRequestID = 128

    /// Answers another server's question, or does what it asks for.
    func receive(request bytes: [UInt8]) throws(AdapterRefusal) {
        guard let request = Self.read(bytes), request.objectValue != nil,
            let type = request["type"]?.intValue.flatMap(RequestType.init)
        else { throw .malformed }
        let id = request["requestId"]?.stringValue
        guard id?.utf8.count ?? 0 <= Self.maximumRequestID else { throw .malformed }
        guard request["uid"]?.stringValue != node, id.flatMap(awaited) == nil else {
            return
        }
        switch type {
        case .sockets:
            let rooms = try AdapterBroadcast.names(request["rooms"])
            let sids = self.rooms.members(in: rooms, except: []).map { JSON.string($0.sid) }
            try answer(id, "sockets", .array(sids))
        case .allRooms: try answer(id, "rooms", .array(rooms.names.map(JSON.string)))
        case .fetch:
            // Our own servers know all that from Redis.
            if let asker = request["uid"]?.stringValue, isOurs(asker) { return }
            let members = try members(request["opts"])
            try answer(id, "sockets", .array(members.map(Self.described)))
        case .disconnect: try disconnect(request, id)
        case .broadcast: try broadcast(request, id)
        case .join, .leave: throw .unsupported
        // Nothing here listens to what servers emit among themselves.
        case .serverSideEmit, .clientCount, .ack: break
        }
    }

    /// Takes another server's answer to a question of ours.
    func receive(response bytes: [UInt8]) throws(AdapterRefusal) {
        guard let response = Self.read(bytes), let id = response["requestId"]?.stringValue else {
            throw .malformed
        }
        guard let take = awaited(id) else { return }
        // How many are asked says nothing: it is always one.
        guard response["type"]?.intValue != RequestType.clientCount.rawValue else { return }
        take(response)
    }

    /// What to do with an answer to that request; nil where it was not asked here.
    private func awaited(_ id: String) -> ((JSON) -> Void)? { acks.answer(to: id) ?? fetches.answer(to: id) }

    /// JSON or MessagePack, by its first byte.
    private static func read(_ bytes: [UInt8]) -> JSON? {
        bytes.first == UInt8(ascii: "{") ? try? JSON(parsing: bytes) : try? MessagePackDecoder.decode(bytes)
    }

    /// A small question may have a large answer: while those before it wait for Redis, none is added, because whoever
    /// lets too much wait is disconnected.
    private func answer(_ id: String?, _ name: String, _ value: @autoclosure () -> JSON)
        throws(AdapterRefusal)
    {
        guard let id else { return }
        guard bytesAnswered < Self.maximumAnswers else { throw .tooBusy }
        let answer: JSON = ["requestId": .string(id), name: value()]
        let bytes = Array(answer.serialized().utf8)
        guard bytes.count < Self.maximumAnswers else { throw .tooBusy }
        bytesAnswered += bytes.count
        commands.send(RedisCommand("PUBLISH", AdapterChannels.responses, bytes)).assumeIsolated()
            .whenComplete { [weak self] _ in self?.bytesAnswered -= bytes.count }
    }

    /// In bytes.
    private static let maximumAnswers = 8 << 20

    private func respond(_ json: JSON) {
        publish(AdapterChannels.responses, Array(json.serialized().utf8))
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

    /// Emits an event of which each receiver is asked for an ack.
    private func broadcast(_ request: JSON, _ id: String?) throws(AdapterRefusal) {
        guard let id, let packet = request["packet"] else { throw .malformed }
        let broadcast = try AdapterBroadcast(
            node: request["uid"]?.stringValue ?? "",
            packet: packet,
            options: request["opts"] ?? [:]
        )
        var members = rooms.members(in: broadcast.rooms, except: broadcast.except).filter { $0.socket != nil }
        if isForged(broadcast) { members = [] }
        respond([
            "type": .int(RequestType.clientCount.rawValue), "requestId": .string(id),
            "clientCount": .int(members.count),
        ])
        counts.delivered += members.count
        for member in members {
            rooms.deliver(broadcast.packet, to: member) { [weak self] arguments in
                let answer: JSON = [
                    "type": .int(RequestType.ack.rawValue), "requestId": .string(id),
                    "packet": arguments.first ?? .null,
                ]
                self?.publish(AdapterChannels.responses, MessagePackEncoder.encode(answer))
            }
        }
    }

    /// A socket as `fetchSockets` shows it; of the handshake only what everybody in the room may know.
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

    /// Asks servers of other makers whom they have in rooms; they are told as they become known.
    func askForeigners(_ asked: [RoomID]) {
        guard counts.foreignNodes > 0 else { return }
        for start in stride(from: 0, to: asked.count, by: Self.maximumAsked) {
            let names = asked[start..<min(start + Self.maximumAsked, asked.count)].map {
                JSON.string("\($0)")
            }
            let id = fetches.expect { [weak self] answer in self?.takeSockets(answer) }
            let request: JSON = [
                "uid": .string(node), "requestId": .string(id), "type": .int(RequestType.fetch.rawValue),
                "opts": ["rooms": .array(names), "except": []],
            ]
            publish(AdapterChannels.requests, Array(request.serialized().utf8))
        }
    }

    /// Rooms at a time.
    private static let maximumAsked = 256

    private func takeSockets(_ answer: JSON) {
        for socket in answer["sockets"]?.arrayValue ?? [] {
            guard let sid = socket["id"]?.stringValue, rooms.membersByID[sid] == nil,
                let names = try? AdapterBroadcast.names(socket["rooms"])
            else { continue }
            for room in names.compactMap({ try? RoomID($0) }) where concerns(room) {
                let query = socket["handshake"]?["query"]
                let member = RemoteMember(told: query, node: RemoteMember.unknownNode, sid: sid, room: room)
                if let member, presence.add(member) { rooms.tellJoined(member) }
            }
        }
    }
}

extension AdapterBroadcast {
    /// The same as a request of which each receiver is asked for an ack.
    func request(id: String) -> [UInt8] {
        MessagePackEncoder.encode([
            "uid": .string(node), "requestId": .string(id),
            "type": .int(Cluster.RequestType.broadcast.rawValue),
            "packet": ["type": 2, "data": .array(data), "nsp": "/"],
            "opts": [
                "rooms": .array(rooms.map(JSON.string)), "except": .array(except.map(JSON.string)),
                "flags": [:],
            ],
        ])
    }
}
