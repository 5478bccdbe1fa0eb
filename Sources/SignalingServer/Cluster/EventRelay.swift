internal import Basics
internal import CallCore
internal import HTTPFront
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
    /// The number of events delivered from other servers, counted once per recipient.
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

    /// Determines whether a room may have members on other servers.
    func reaches(_ room: RoomID) -> Bool {
        link.isUp && (nodes.foreignCount > 0 || !remote.members(of: room).isEmpty)
    }

    // MARK: - To other servers

    /// Relays an event to the room's members on other servers.
    func relay(_ packet: SocketPacket, from member: Member) {
        let room = member.identity.room
        if reaches(room) { link.publish(packet, to: "\(room)", except: [member.sid]) }
    }

    /// Announces a join to the other servers; during an outage of Redis, the announcement is deferred.
    func announceJoined(_ member: some Occupant, sid: String) {
        guard link.isUp else { return backlog.add(joined: sid) }
        let room = member.identity.room
        if reaches(room) { link.publish(rooms.payloads.joined(member), to: "\(room)", except: [sid]) }
    }

    /// Announces to the other servers that a client without a key has returned.
    ///
    /// It may be a different client with the same name, so its peers must be notified.
    func announceReturn(of member: Member) {
        guard link.isUp else { return }
        let place = RemoteMember(member, node: link.node)
        link.post(.moved(sid: place.sid, to: place, again: true))
    }

    /// Announces a departure to the other servers; during an outage of Redis, the announcement is deferred.
    func announceLeft(_ place: RemoteMember, isHeard: Bool = false) {
        if link.isUp { publishLeft(place, isHeard: isHeard) } else { backlog.add(left: place) }
    }

    func publishLeft(_ member: Member) { publishLeft(RemoteMember(member, node: link.node)) }

    /// Announces a departure to the other servers if Redis can be reached; without `isHeard`, only if the
    /// room may have members there.
    func publishLeft(_ place: RemoteMember, isHeard: Bool = false) {
        let room = place.identity.room
        guard link.isUp, isHeard || reaches(room) else { return }
        let left = link.publication(of: rooms.payloads.left(place), to: "\(room)", except: [place.sid])
        link.commands.send(left).assumeIsolated().whenFailure { [weak self] error in
            guard let self, !link.isClosed else { return }
            if case .refused(let words) = error as? RedisError { return link.noteRefusal(words) }
            // If the member is still present, only its name has changed; it is announced again with all other
            // members.
            if rooms.membersByID[place.sid] == nil { backlog.add(left: place) }
        }
    }

    // MARK: - From other servers

    /// Handles an event published to rooms; an event for a room with neither members nor pending membership
    /// changes on this server is not even decoded.
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

    /// Delivers an event from another server, and calls `answer` with the ack of each recipient.
    ///
    /// `begin` is called first, with the number of recipients.
    func deliver(_ broadcast: AdapterBroadcast, begin: (Int) -> Void, _ answer: @escaping ([JSON]) -> Void) {
        var members = rooms.members(in: broadcast.rooms, except: broadcast.except).filter { $0.socket != nil }
        if isForged(broadcast) { members = [] }
        begin(members.count)
        delivered += members.count
        for member in members { rooms.deliver(broadcast.packet, to: member, answer) }
    }

    /// Finds the sender of an event, whose socket is the first in `except`; nil if the sender is unknown.
    private func sender(of broadcast: AdapterBroadcast) -> RemoteMember? {
        guard let sid = broadcast.except.first else { return nil }
        return broadcast.rooms.lazy.compactMap { try? RoomID($0) }
            .compactMap { self.remote.member(sid: sid, in: $0) }.first
    }

    /// Determines whether an event names another member as its sender.
    ///
    /// The server of the actual sender may be unaware of that member, or may be one that does not check
    /// senders.
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

    /// Handles the report of a departure on another server.
    ///
    /// If the member is unknown, a callrunner server's report is ignored, and a foreign server's report is
    /// relayed unchanged.
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
