internal import CallCore
internal import RedisKit
internal import SocketIO

/// What servers of our kind tell each other.
extension Cluster {
    func post(_ message: NodeMessage) {
        commands.post(
            RedisCommand("PUBLISH", AdapterChannels.nodes, message.json(from: node).serialized())
        )
    }

    /// A client that has no key is back: it may be a new one of the same name, and its peers have to know.
    func announceReturn(of member: Member) {
        guard isUp else { return }
        let place = RemoteMember(member, node: node)
        post(.moved(sid: place.sid, to: place, again: true))
    }

    /// Takes what a server of our kind says to the others.
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
            // An answer that is on its way may still name some.
            let rooms = Set(presence.rooms(of: node)).union(asked)
            Sweep.run(over: Array(rooms), on: eventLoop) { [weak self] in self?.part(from: node, in: $0, $1) }
        }
    }

    /// Who was on a server that stops, and has a key, may be back elsewhere before its last sign of life is over; nobody
    /// waits for the others.
    private func part(from node: String, in room: RoomID, _ next: @escaping () -> Void) {
        // What is not asked now is settled when Redis is back.
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

    /// Somebody is found not to be there any more, which nobody has said: perhaps because the client went on elsewhere
    /// while the servers could not see each other.
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
            // It has come here, and the other server has only now ended its earlier connection.
            _ = presence.remove(sid: sid, from: room)
            return departures.add(sid, at: member.since)
        }
        // Since that was said, it has come back to this server.
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
        // What told of an earlier move may come later than this.
        let earlier = presence.contains(sid: sid, in: room) ? nil : sameClient(as: member)
        // Who did not know the old one gets to know the new one as anybody else.
        let isNew = !presence.replace(sid: earlier?.sid ?? sid, with: member) && presence.add(member)
        vacate(for: member)
        if isNew && !wasHere || again { rooms.tellJoined(member) }
    }

    /// Whether the place is by now known to be another's, or another connection's of the same client.
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
