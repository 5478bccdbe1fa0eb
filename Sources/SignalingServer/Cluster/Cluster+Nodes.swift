internal import CallCore
internal import RedisKit
internal import SocketIO

/// Messages between callrunner servers.
extension Cluster {
    func post(_ message: NodeMessage) {
        commands.post(
            RedisCommand("PUBLISH", AdapterChannels.nodes, message.json(from: node).serialized())
        )
    }

    /// Announces the return of a client without a key.
    ///
    /// It may be a different client with the same name, so its peers are told.
    func announceReturn(of member: Member) {
        guard isUp else { return }
        let place = RemoteMember(member, node: node)
        post(.moved(sid: place.sid, to: place, again: true))
    }

    /// Handles a message from another callrunner server.
    func receive(nodeMessage bytes: [UInt8]) throws(AdapterRefusal) {
        let (node, message) = try NodeMessage.read(bytes)
        guard node != self.node else { return }
        switch message {
        case .moved(let sid, let member, let again): moved(sid, to: member, again: again)
        case .ousted(let sid, let room):
            note(sid, in: room)
            rooms.oust(sid: sid)
            if let member = presence.remove(sid: sid, from: room) { rooms.tellLeft(member) }
        case .gone:
            // A pending answer may still list members of that server.
            let rooms = Set(presence.rooms(of: node)).union(asked)
            Sweep.run(over: Array(rooms), on: eventLoop) { [weak self] in self?.part(from: node, in: $0, $1) }
        }
    }

    /// Removes a stopping server's members from a room, except those with a key.
    ///
    /// Those may return on another server before the heartbeat of the stopping one expires.
    private func part(from node: String, in room: RoomID, _ next: @escaping () -> Void) {
        // If Redis cannot answer now, the room is settled when it is back.
        look(into: room, next) { [weak self] places, _ in
            guard let self else { return }
            let awaited = Set(places.lazy.filter { $0.keyHash != nil }.map(\.sid))
            for member in presence.members(of: room)
            where member.node == node && !awaited.contains(member.sid) {
                _ = presence.remove(sid: member.sid, from: room)
                tellLeftUnlessHere(member)
            }
        }
    }

    /// Reports an absent member as gone, unless the same client is present elsewhere.
    ///
    /// Nobody announced the departure, perhaps because the client moved while the servers could not reach
    /// each other.
    func tellLeftUnlessHere(_ member: RemoteMember) {
        let room = member.identity.room
        let others =
            presence.members(of: room).filter { isOurs($0.node) }
            + rooms.members(of: room).map { RemoteMember($0, node: node) }
        if !others.contains(where: member.mayBeSameClient) { rooms.tellLeft(member) }
    }

    private func moved(_ sid: String, to member: RemoteMember, again: Bool) {
        let room = member.identity.room
        if member.node == node {
            // The client has moved here, and the other server has only now ended its earlier connection.
            _ = presence.remove(sid: sid, from: room)
            return departures.add(sid, at: member.since)
        }
        // The client has returned to this server since the message was sent.
        if let here = rooms.membersByID[sid], here.since > member.since { return }
        note(sid, in: room, at: member.since)
        note(member.sid, in: room)
        let wasHere = sid != member.sid && (rooms.supplant(sid: sid) || departing.contains(sid))
        if sid != member.sid { departures.add(sid, at: member.since) }
        guard concerns(room) else { return }
        if isOld(member) {
            if sid != member.sid { _ = presence.remove(sid: sid, from: room) }
            return
        }
        departures.forget(member.sid)
        // The message about an earlier move may arrive after this one.
        let earlier = presence.contains(sid: sid, in: room) ? nil : sameClient(as: member)
        // If the old entry was unknown, the new one is announced like any other member.
        let isNew = !presence.replace(sid: earlier?.sid ?? sid, with: member) && presence.add(member)
        vacate(for: member)
        if isNew && !wasHere || again { rooms.tellJoined(member) }
    }

    /// Determines whether the seat is known to belong to another client, or to a newer connection of this
    /// one.
    private func isOld(_ member: RemoteMember) -> Bool {
        if departures.contains(member) { return true }
        guard !seats.isOpen else { return (sameClient(as: member)?.since ?? 0) > member.since }
        let holders = presence.rivals(of: member).filter { isOurs($0.node) }.map(\.since)
        let here = rooms.members(of: member.identity.room).filter { $0.role == member.role }.map(\.since)
        return (holders + here).contains { $0 > member.since }
    }

    private func sameClient(as member: RemoteMember) -> RemoteMember? {
        presence.rivals(of: member).first {
            isOurs($0.node) && $0.mayBeSameClient(as: member) && (!seats.isOpen || $0.keyHash != nil)
        }
    }
}
