internal import CallCore
internal import Logging
internal import NIOCore
internal import RedisKit
internal import SocketIO

/// The relay of events to and from the clients of other servers.
///
/// Confined to the server's event loop.
final class EventRelay {
    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let remote: RemoteMembers
    private let nodes: ClusterNodes
    private let backlog: OutageBacklog
    /// The number of events from other servers for members on this server.
    private(set) var delivered = 0

    init(
        _ link: ClusterLink,
        rooms: Rooms,
        remote: RemoteMembers,
        nodes: ClusterNodes,
        backlog: OutageBacklog
    ) {
        self.link = link
        self.rooms = rooms
        self.remote = remote
        self.nodes = nodes
        self.backlog = backlog
    }

    /// Determines whether a member on another server may receive a room's events.
    func reaches(_ room: RoomID) -> Bool {
        link.isUp && (nodes.foreignCount > 0 || !remote.members(of: room).isEmpty)
    }

    // MARK: - To other servers

    /// Relays an event to the room's members on other servers.
    func relay(_ packet: SocketPacket, from member: Member) {
        let room = member.identity.room
        if reaches(room) { link.publish(packet, to: "\(room)", except: [member.sid]) }
    }

    /// Announces a join at once, or when Redis is back.
    func announceJoined(_ member: some Occupant, sid: String) {
        guard link.isUp else { return backlog.add(joined: sid) }
        let room = member.identity.room
        if reaches(room) { link.publish(rooms.payloads.joined(member), to: "\(room)", except: [sid]) }
    }

    /// Announces the return of a client without a key.
    ///
    /// It may be a different client with the same name, so its peers are told.
    func announceReturn(of member: Member) {
        guard link.isUp else { return }
        let place = RemoteMember(member, node: link.node)
        link.post(.moved(sid: place.sid, to: place, again: true))
    }

    /// Announces a departure at once, or when Redis is back.
    func announceLeft(_ place: RemoteMember, isHeard: Bool = false) {
        if link.isUp { publishLeft(place, isHeard: isHeard) } else { backlog.add(left: place) }
    }

    func publishLeft(_ member: Member) { publishLeft(RemoteMember(member, node: link.node)) }

    /// Announces a departure; with `isHeard`, even if no member of the room is known on another server by
    /// now.
    func publishLeft(_ place: RemoteMember, isHeard: Bool = false) {
        let room = place.identity.room
        guard link.isUp, isHeard || reaches(room) else { return }
        let left = link.publication(of: rooms.payloads.left(place), to: "\(room)", except: [place.sid])
        link.commands.send(left).assumeIsolated().whenFailure { [weak self] error in
            guard let self, !link.isClosed else { return }
            if case .refused(let words) = error as? RedisError { return link.noteRefusal(words) }
            // A member that is still present has only changed its name, and is announced again with all
            // others.
            if rooms.membersByID[place.sid] == nil { backlog.add(left: place) }
        }
    }

    // MARK: - From other servers

    /// Handles an event published to rooms; one for a room without members on this server is not even
    /// decoded.
    func receive(_ bytes: ByteBuffer, on channel: String) throws(AdapterRefusal) {
        if let room = AdapterChannels.room(of: channel), !rooms.hasAnybody(in: room), !isAwaited(room) {
            return
        }
        let broadcast = try AdapterBroadcast(Array(bytes.readableBytesView))
        guard broadcast.node != link.node else { return }
        nodes.heard(from: broadcast.node)
        switch broadcast.data.first?.stringValue {
        case "room_user_joined": receiveJoined(broadcast)
        case "room_user_left": receiveLeft(broadcast)
        default: deliver(broadcast)
        }
    }

    private func isAwaited(_ name: String) -> Bool { (try? RoomID(name)).map(remote.concerns) ?? false }

    private func deliver(_ broadcast: AdapterBroadcast) {
        let members = rooms.members(in: broadcast.rooms, except: broadcast.except)
        guard !members.isEmpty else { return }
        guard !isForged(broadcast) else { return }
        delivered += members.count
        rooms.deliver(broadcast.packet, to: members, from: sender(of: broadcast))
    }

    /// Delivers an event and passes the ack of each recipient on.
    ///
    /// `begin` is told the number of recipients first.
    func deliver(_ broadcast: AdapterBroadcast, begin: (Int) -> Void, _ answer: @escaping ([JSON]) -> Void) {
        var members = rooms.members(in: broadcast.rooms, except: broadcast.except).filter { $0.socket != nil }
        if isForged(broadcast) { members = [] }
        begin(members.count)
        delivered += members.count
        for member in members { rooms.deliver(broadcast.packet, to: member, answer) }
    }

    /// Finds the sender, if known: an event of a client is published for everybody except that client.
    private func sender(of broadcast: AdapterBroadcast) -> RemoteMember? {
        guard let sid = broadcast.except.first else { return nil }
        return broadcast.rooms.lazy.compactMap { try? RoomID($0) }
            .compactMap { self.remote.member(sid: sid, in: $0) }.first
    }

    /// Determines whether an event names a sender other than its actual one.
    ///
    /// The actual sender's server may not know the named member, or may not check.
    private func isForged(_ broadcast: AdapterBroadcast) -> Bool {
        guard let sender = sender(of: broadcast),
            rooms.isForged(broadcast.packet, by: sender, sid: sender.sid)
        else { return false }
        rooms.metrics.counts.eventsDropped[.forgedSender] += 1
        link.logger.debug("event dropped", metadata: ["node": "\(broadcast.node)"])
        return true
    }

    private func receiveJoined(_ broadcast: AdapterBroadcast) {
        for room in concerned(by: broadcast) {
            let payload = broadcast.data.dropFirst().first
            let sid = broadcast.except.first
            guard let member = RemoteMember(parsing: payload, node: broadcast.node, sid: sid, room: room)
            else {
                link.refuse(.malformed)
                continue
            }
            remote.joined(member)
        }
    }

    /// Reports a departure on another server.
    ///
    /// For our own servers, the member must be known; an unknown departure on a foreign server is relayed
    /// unchanged.
    private func receiveLeft(_ broadcast: AdapterBroadcast) {
        for room in concerned(by: broadcast) {
            let payload = broadcast.data.dropFirst().first
            guard let name = try? Username(payload?["username"]?.stringValue ?? "") else {
                link.refuse(.malformed)
                continue
            }
            let role = RemoteMember.role(payload?["isCaller"])
            let sid = broadcast.except.first.flatMap { RemoteMember.isID($0) ? $0 : nil }
            let wasKnown = remote.left(name, role, of: broadcast.node, sid: sid, from: room)
            if !wasKnown, !link.isOurs(broadcast.node) {
                rooms.deliver(broadcast.packet, to: rooms.members(of: room), from: nil)
            }
        }
    }

    private func concerned(by broadcast: AdapterBroadcast) -> some Sequence<RoomID> {
        broadcast.rooms.lazy.compactMap { try? RoomID($0) }.filter(remote.concerns)
    }
}
