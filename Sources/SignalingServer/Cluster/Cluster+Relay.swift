internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// Relaying events to and from the clients of other servers.
extension Cluster {
    /// Relays an event to the room's members on other servers.
    func relay(_ packet: SocketPacket, from member: Member) {
        let room = member.identity.room
        if reaches(room) { publish(packet, to: "\(room)", except: [member.sid]) }
    }

    /// Relays an event to the only other member, who is on another server, and passes its ack back.
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

    /// Announces a join at once, or when Redis is back.
    func publishJoined(_ member: some Occupant, sid: String) {
        guard isUp else {
            unannounced.insert(sid)
            return
        }
        guard reaches(member.identity.room) else { return }
        publish(rooms.payloads.joined(member), to: "\(member.identity.room)", except: [sid])
    }

    func publishLeft(_ member: Member) { publishLeft(RemoteMember(member, node: node)) }

    /// Announces a departure; with `isHeard`, even if no member of the room is known on another server by
    /// now.
    func publishLeft(_ place: RemoteMember, isHeard: Bool = false) {
        let room = place.identity.room
        guard isUp, isHeard || reaches(room) else { return }
        let left = publication(of: rooms.payloads.left(place), to: "\(room)", except: [place.sid])
        commands.send(left).assumeIsolated().whenFailure { [weak self] error in
            guard let self, !isClosed else { return }
            if case .refused(let words) = error as? RedisError { return link(commands, didRefuse: words) }
            // A member that is still present has only changed its name, and is announced again with all
            // others.
            if rooms.membersByID[place.sid] == nil { keepForLater(place) }
        }
    }

    /// Handles an event published to rooms; one for a room without members here is not even decoded.
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

    /// Finds the sender, if known: an event of a client is published for everybody except that client.
    private func sender(of broadcast: AdapterBroadcast) -> RemoteMember? {
        guard let sid = broadcast.except.first else { return nil }
        return broadcast.rooms.lazy.compactMap { try? RoomID($0) }
            .compactMap { self.presence.member(sid: sid, in: $0) }.first
    }

    /// Determines whether an event names a sender other than its actual one.
    ///
    /// The actual sender's server may not know the named member, or may not check.
    func isForged(_ broadcast: AdapterBroadcast) -> Bool {
        guard let sender = sender(of: broadcast),
            rooms.isForged(broadcast.packet, by: sender, sid: sender.sid)
        else { return false }
        rooms.metrics.counts.eventsDropped[.forgedSender] += 1
        logger.debug("event dropped", metadata: ["node": "\(broadcast.node)"])
        return true
    }

    /// Announces a member that joined on another server, unless it is known already.
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

    /// Announces a remote member here, and sends that member the held signals.
    func welcome(_ member: RemoteMember) {
        rooms.tellJoined(member)
        for packet in rooms.held(for: member) { publish(packet, to: member.sid) }
    }

    /// Determines whether the client has moved on by now, or its seat is held here.
    ///
    /// If two members believe that they hold a seat, one of them is about to be told that it does not.
    private func isOld(joined member: RemoteMember) -> Bool {
        departures.contains(member)
            || !seats.isOpen && rooms.members(of: member.identity.room).contains { $0.role == member.role }
    }

    /// Reports a departure on another server.
    ///
    /// For our own servers, the member must be known; an unknown departure on a foreign server is relayed
    /// unchanged.
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
