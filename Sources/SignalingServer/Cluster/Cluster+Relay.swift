internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// What goes to the other servers' clients, and comes from them.
extension Cluster {
    /// Passes an event on to the others in the room on other servers.
    func relay(_ packet: SocketPacket, from member: Member) {
        let room = member.identity.room
        if reaches(room) { publish(packet, to: "\(room)", except: [member.sid]) }
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

    private func publish(_ packet: SocketPacket, to room: String, except sids: [String] = []) {
        commands.post(publication(of: packet, to: room, except: sids))
    }

    private func publication(of packet: SocketPacket, to room: String, except sids: [String]) -> RedisCommand
    {
        let broadcast = AdapterBroadcast(node: node, packet, rooms: [room], except: sids)
        counts.published += 1
        return RedisCommand("PUBLISH", broadcast.channel, broadcast.encoded)
    }

    func publish(_ channel: String, _ bytes: [UInt8]) {
        commands.post(RedisCommand("PUBLISH", channel, bytes))
    }

    /// At once, or when the others can be reached again.
    func publishJoined(_ member: some Occupant, sid: String) {
        guard isUp else {
            unannounced.insert(sid)
            return
        }
        guard reaches(member.identity.room) else { return }
        publish(rooms.payloads.joined(member), to: "\(member.identity.room)", except: [sid])
    }

    func publishLeft(_ member: Member) { publishLeft(RemoteMember(member, node: node)) }

    /// With `isHeard` although by now nobody elsewhere is known in the room.
    func publishLeft(_ place: RemoteMember, isHeard: Bool = false) {
        let room = place.identity.room
        guard isUp, isHeard || reaches(room) else { return }
        let left = publication(of: rooms.payloads.left(place), to: "\(room)", except: [place.sid])
        commands.send(left).assumeIsolated().whenFailure { [weak self] error in
            guard let self, !isClosed else { return }
            if case .refused(let words) = error as? RedisError { return link(commands, didRefuse: words) }
            // Who only goes on under another name is told again with all the others.
            if rooms.membersByID[place.sid] == nil { keepForLater(place) }
        }
    }

    /// Takes what was published for rooms; of rooms that nobody here is in, nothing is even read.
    func receive(broadcast bytes: ByteBuffer, on channel: String) throws(AdapterRefusal) {
        if let room = AdapterChannels.room(of: channel), !rooms.hasAnybody(in: room), !isAwaited(room) {
            return
        }
        let broadcast = try AdapterBroadcast(Array(bytes.readableBytesView))
        guard broadcast.node != node else { return }
        if !isOurs(broadcast.node), broadcast.node != "emitter", counts.foreignNodes == 0 { sawForeigners(1) }
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
        guard !isForged(broadcast) else { return }
        counts.delivered += members.count
        rooms.deliver(broadcast.packet, to: members, from: sender(of: broadcast))
    }

    /// Who speaks, where that is known: a client's own events are for all but itself.
    private func sender(of broadcast: AdapterBroadcast) -> RemoteMember? {
        guard let sid = broadcast.except.first else { return nil }
        return broadcast.rooms.lazy.compactMap { try? RoomID($0) }
            .compactMap { self.presence.member(sid: sid, in: $0) }.first
    }

    /// Whether an event gives another as its sender, of which its own server does not know, or takes no notice.
    func isForged(_ broadcast: AdapterBroadcast) -> Bool {
        guard let sender = sender(of: broadcast),
            rooms.isForged(broadcast.packet, by: sender, sid: sender.sid)
        else { return false }
        rooms.metrics.counts.eventsDropped[.forgedSender] += 1
        logger.debug("event dropped", metadata: ["node": "\(broadcast.node)"])
        return true
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
            if isOurs(member.node) {
                note(member.sid, in: room)
                guard !isOld(joined: member) else { continue }
                vacate(for: member)
            }
            if let earlier = presence.rename(member) { rooms.tellLeft(earlier) }
            if presence.add(member) { welcome(member) }
        }
    }

    /// Tells those here of who has come elsewhere, and that one what is held for it.
    func welcome(_ member: RemoteMember) {
        rooms.tellJoined(member)
        for packet in rooms.held(for: member) { publish(packet, to: member.sid) }
    }

    /// Whether the client has gone on elsewhere by now, or its seat is somebody's here: of two who believe that they have
    /// it, one is about to hear that it has not.
    private func isOld(joined member: RemoteMember) -> Bool {
        departures.contains(member)
            || !seats.isOpen && rooms.members(of: member.identity.room).contains { $0.role == member.role }
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
            let sid = broadcast.except.first.flatMap { RemoteMember.isID($0) ? $0 : nil }
            if let sid, isOurs(broadcast.node) { note(sid, in: room) }
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
}
