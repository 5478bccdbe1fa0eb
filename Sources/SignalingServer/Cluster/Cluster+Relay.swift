internal import CallCore
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// What goes to the other servers' clients, and comes from them.
extension Cluster {
    /// Passes an event on to the others in the room on other servers; how many of our own servers' they are.
    @discardableResult
    func relay(_ packet: SocketPacket, from member: Member) -> Int {
        let room = member.identity.room
        guard reaches(room) else { return 0 }
        publish(packet, to: "\(room)", except: member.sid)
        return presence.members(of: room).count
    }

    /// Asks the only other in the room, who is elsewhere, for an ack.
    func relay(_ packet: SocketPacket, from member: Member, ack: Int, to origin: SocketConnection) {
        let id = acks.expect { [weak self, weak origin] answer in
            guard let origin, let id = answer["requestId"]?.stringValue else { return }
            self?.acks.forget(id)
            origin.acknowledge(ack, [answer["packet"] ?? .null])
        }
        let broadcast = AdapterBroadcast(
            node: node,
            packet,
            rooms: ["\(member.identity.room)"],
            except: [member.sid]
        )
        counts.published += 1
        publish(AdapterChannels.requests, broadcast.request(id: id))
    }

    private func publish(_ packet: SocketPacket, to room: String, except sid: String) {
        let broadcast = AdapterBroadcast(node: node, packet, rooms: [room], except: [sid])
        counts.published += 1
        publish(broadcast.channel, broadcast.encoded)
    }

    func publish(_ channel: String, _ bytes: [UInt8]) {
        commands.post(RedisCommand("PUBLISH", channel, bytes))
    }

    func publishJoined(_ member: some Occupant, sid: String) {
        guard reaches(member.identity.room) else { return }
        publish(rooms.payloads.joined(member), to: "\(member.identity.room)", except: sid)
    }

    /// With `isHeard` although by now nobody elsewhere is known in the room.
    func publishLeft(_ place: RemoteMember, isHeard: Bool = false) {
        guard isUp, isHeard || reaches(place.identity.room) else { return }
        publish(rooms.payloads.left(place), to: "\(place.identity.room)", except: place.sid)
    }

    /// Takes what was published for rooms; of rooms that nobody here is in, nothing is even read.
    func receive(broadcast bytes: ByteBuffer, on channel: String) throws(AdapterRefusal) {
        if let room = AdapterChannels.room(of: channel), !rooms.hasAnybody(in: room), !isAwaited(room) {
            return
        }
        let broadcast = try AdapterBroadcast(Array(bytes.readableBytesView))
        guard broadcast.node != node else { return }
        if !isOurs(broadcast.node), broadcast.node != "emitter" {
            counts.foreignNodes = max(1, counts.foreignNodes)
        }
        switch broadcast.data.first?.stringValue {
        case "room_user_joined": tellJoined(broadcast)
        case "room_user_left": tellLeft(broadcast)
        default: deliver(broadcast)
        }
    }

    private func isAwaited(_ name: String) -> Bool { (try? RoomID(name)).map(concerns) ?? false }

    private func deliver(_ broadcast: AdapterBroadcast) {
        let members = rooms.members(in: broadcast.rooms, except: broadcast.except)
        guard !members.isEmpty else { return }
        counts.delivered += members.count
        let sender = broadcast.except.first.flatMap { sid in
            broadcast.rooms.lazy.compactMap { try? RoomID($0) }.compactMap {
                self.presence.member(sid: sid, in: $0)
            }
            .first
        }
        rooms.deliver(broadcast.packet, to: members, from: sender)
    }

    /// A client of another server has joined: who was not known yet is told here, in this server's own words.
    private func tellJoined(_ broadcast: AdapterBroadcast) {
        for room in broadcast.rooms.compactMap({ try? RoomID($0) }) where concerns(room) {
            let told = broadcast.data.dropFirst().first
            let sid = broadcast.except.first
            guard let member = RemoteMember(told: told, node: broadcast.node, sid: sid, room: room) else {
                refuse(.malformed)
                continue
            }
            guard presence.add(member) else { continue }
            rooms.tellJoined(member)
            for packet in rooms.held(for: member) { publish(packet, to: member.sid, except: node) }
        }
    }

    /// One of our own is told as gone only if it was known; of other servers that may be news even so.
    private func tellLeft(_ broadcast: AdapterBroadcast) {
        for room in broadcast.rooms.compactMap({ try? RoomID($0) }) where concerns(room) {
            let told = broadcast.data.dropFirst().first
            guard let name = try? Username(told?["username"]?.stringValue ?? "") else {
                refuse(.malformed)
                continue
            }
            let role = RemoteMember.role(told?["isCaller"])
            let sid = broadcast.except.first
            if let member = presence.remove(
                name,
                role,
                of: broadcast.node,
                sid: sid,
                isOurs: isOurs(broadcast.node),
                from: room
            ) {
                rooms.tellLeft(member)
            } else if !isOurs(broadcast.node) {
                rooms.deliver(broadcast.packet, to: rooms.members(of: room), from: nil)
            }
        }
    }

    /// Takes what a server of our kind says to the others.
    func receive(nodeMessage bytes: [UInt8]) throws(AdapterRefusal) {
        let (node, message) = try NodeMessage.read(bytes)
        guard node != self.node else { return }
        switch message {
        case .moved(let sid, let member, let again):
            rooms.supplant(sid: sid)
            let room = member.identity.room
            guard concerns(room) else { return }
            // Who did not know the old one gets to know the new one as anybody else.
            let isNews = !presence.replace(sid: sid, with: member) && presence.add(member)
            if isNews || again { rooms.tellJoined(member) }
        case .ousted(let sid, let room):
            rooms.oust(sid: sid)
            if let member = presence.remove(sid: sid, from: room) { rooms.tellLeft(member) }
        case .gone:
            for member in presence.remove(node: node) { rooms.tellLeft(member) }
        }
    }
}
