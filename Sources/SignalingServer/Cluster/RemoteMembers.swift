internal import CallCore
internal import Logging
internal import NIOCore
internal import SocketIO

/// The members on other servers that share a room with members of this one, which are told of changes.
///
/// Confined to the server's event loop.
final class RemoteMembers {
    private let link: ClusterLink
    private unowned let rooms: Rooms
    private let questions: RoomQuestions
    private var presence: RemotePresence
    private var departures = Departures()

    init(_ link: ClusterLink, rooms: Rooms, questions: RoomQuestions, capacity: Int) {
        self.link = link
        self.rooms = rooms
        self.questions = questions
        presence = RemotePresence(capacity: max(capacity, 2))
        questions.gates.onEmpty = { [weak self] in self?.forgetIfEmpty($0) }
    }

    // MARK: - Queries

    var count: Int { presence.count }

    /// Counts a room's known members on other servers; 0 while they cannot be reached.
    func count(in room: RoomID) -> Int { link.isUp ? presence.members(of: room).count : 0 }

    func members(of room: RoomID) -> [RemoteMember] { presence.members(of: room) }

    func member(sid: String, in room: RoomID) -> RemoteMember? { presence.member(sid: sid, in: room) }

    /// The servers of all known members.
    var nodes: Set<String> { presence.nodes }

    /// The rooms with known remote members.
    var knownRooms: [RoomID] { presence.knownRooms }

    /// Lists the members on our own servers, other than `member`, that have its room and role.
    func rivals(of member: RemoteMember) -> [RemoteMember] {
        presence.rivals(of: member).filter { link.isOurs($0.node) }
    }

    /// Determines whether changes of a room on other servers concern a member of this server.
    func concerns(_ room: RoomID) -> Bool {
        questions.gates.isHeld(room) || !rooms.members(of: room).isEmpty
    }

    /// Determines whether the client, identified by its key, is already a member on this server.
    ///
    /// Its earlier seat on another server then still has to be taken over.
    private func isHere(_ place: RemoteMember) -> Bool {
        place.keyHash != nil
            && rooms.members(of: place.identity.room).contains {
                RemoteMember($0, node: link.node).isSameClient(as: place)
            }
    }

    // MARK: - Silent changes

    /// Adds a member without announcing it; false if it is known already or the room has reached its limit.
    func add(_ member: RemoteMember) -> Bool { presence.add(member) }

    /// Adds the client that was a member on this server, unless it has moved on since.
    func addReturned(_ member: RemoteMember) {
        if !departures.contains(member) { _ = presence.add(member) }
    }

    /// Removes the member with that socket without announcing it; nil if there is none.
    @discardableResult
    func remove(sid: String, from room: RoomID) -> RemoteMember? { presence.remove(sid: sid, from: room) }

    /// Ignores outdated reports of a socket whose client moved to another socket at `time`.
    func supersede(_ sid: String, at time: Int) { departures.add(sid, at: time) }

    /// Forgets the remote members of a room in which this server has no member and no pending join.
    func forgetIfEmpty(_ room: RoomID) {
        if !concerns(room) { presence.forget(room) }
    }

    // MARK: - Announced changes

    /// Announces a remote member to this server's members, and sends it the held signals.
    func welcome(_ member: RemoteMember) {
        rooms.reportJoin(member)
        for packet in rooms.held(for: member) { link.publish(packet, to: member.sid) }
    }

    /// Reports an absent member as gone, unless the same client is present elsewhere.
    ///
    /// Nobody announced the departure, perhaps because the client moved while the servers could not reach
    /// each other.
    private func reportLeaveUnlessHere(_ member: RemoteMember) {
        let room = member.identity.room
        let others =
            presence.members(of: room).filter { link.isOurs($0.node) }
            + rooms.members(of: room).map { RemoteMember($0, node: link.node) }
        if !others.contains(where: member.mayBeSameClient) { rooms.reportLeave(member) }
    }

    /// Updates the room's members on our own servers, and tells this server's members about the changes.
    func learn(
        _ present: [RemoteMember],
        in room: RoomID,
        isSettled: Bool,
        except updates: RoomQuestions.Updates
    ) {
        let changes = presence.reconcile(
            room,
            with: present.filter { $0.node != link.node && !departures.contains($0) },
            isSettled: isSettled,
            hasSeats: !link.seats.isOpen,
            except: updates,
            isOurs: link.isOurs
        )
        for member in changes.left { reportLeaveUnlessHere(member) }
        for member in changes.joined where !isHere(member) { welcome(member) }
    }

    /// Removes the members of our own servers that previously held the seat of `place`.
    ///
    /// A seat has one holder at a time, so they have left, even if that has not been reported yet.
    func vacate(for place: RemoteMember) {
        guard !link.seats.isOpen else { return }
        for rival in rivals(of: place) {
            presence.remove(sid: rival.sid, from: place.identity.room)
            rooms.reportLeave(rival)
        }
    }

    /// Removes all members on a server that is gone.
    func removeNode(_ node: String) {
        let gone = presence.remove(node: node)
        link.logger.notice(
            "another server left the cluster",
            metadata: ["node": "\(node)", "members": "\(gone.count)"]
        )
        for member in gone { reportLeaveUnlessHere(member) }
    }

    // MARK: - Reports of other servers

    /// Announces a member that joined on another server, unless it is known already.
    func joined(_ member: RemoteMember) {
        if link.isOurs(member.node) {
            questions.note(member.sid, in: member.identity.room)
            guard !isOld(joined: member) else { return }
            vacate(for: member)
        }
        if let earlier = presence.rename(member) { rooms.reportLeave(earlier) }
        if presence.add(member) { welcome(member) }
    }

    /// Determines whether the client has moved on by now, or a member on this server holds its seat.
    ///
    /// If two members believe that they hold a seat, one of them is about to be told that it does not.
    private func isOld(joined member: RemoteMember) -> Bool {
        departures.contains(member)
            || !link.seats.isOpen
                && rooms.members(of: member.identity.room).contains { $0.role == member.role }
    }

    /// Announces the departure of a member on another server; false if the member is unknown.
    func left(_ name: Username, _ role: Role?, of node: String, sid: String?, from room: RoomID) -> Bool {
        let isOurs = link.isOurs(node)
        if let sid, isOurs { questions.note(sid, in: room) }
        guard
            let member = presence.remove(name, role, of: node, sid: sid, isOurs: isOurs, from: room)
        else { return false }
        rooms.reportLeave(member)
        return true
    }

    /// Handles the loss of a seat to another client.
    func ousted(_ sid: String, from room: RoomID) {
        questions.note(sid, in: room)
        rooms.oust(sid: sid)
        if let member = presence.remove(sid: sid, from: room) { rooms.reportLeave(member) }
    }

    /// Handles the stop of a server, whose members have left, except those with a key.
    ///
    /// Those may return on another server before the heartbeat of the stopping one expires.
    func stopped(_ node: String) {
        // A pending reply of Redis may still list members of that server.
        let rooms = Set(presence.rooms(of: node)).union(questions.pending)
        Sweep.run(over: Array(rooms), on: link.eventLoop) { [weak self] in
            self?.part(from: node, in: $0, $1)
        }
    }

    private func part(from node: String, in room: RoomID, _ next: @escaping () -> Void) {
        // If Redis does not reply now, the room is settled when Redis is back.
        questions.look(into: room, next) { [weak self] places, _ in
            guard let self else { return }
            let awaited = Set(places.lazy.filter { $0.keyHash != nil }.map(\.sid))
            for member in presence.members(of: room)
            where member.node == node && !awaited.contains(member.sid) {
                presence.remove(sid: member.sid, from: room)
                reportLeaveUnlessHere(member)
            }
        }
    }

    /// Handles the move of a client from a socket to another server.
    ///
    /// `isDeparting` is whether this server is releasing the seat of the old socket. With `again`, the room
    /// is told that the client joined.
    func moved(_ sid: String, to member: RemoteMember, again: Bool, isDeparting: Bool) {
        let room = member.identity.room
        if member.node == link.node {
            // The client has moved to this server, and the other one has only now ended its earlier
            // connection.
            presence.remove(sid: sid, from: room)
            return departures.add(sid, at: member.since)
        }
        // The client has returned to this server since the message was sent.
        if let here = rooms.membersByID[sid], here.since > member.since { return }
        questions.note(sid, in: room, at: member.since)
        questions.note(member.sid, in: room)
        let wasHere = sid != member.sid && (rooms.supplant(sid: sid) || isDeparting)
        if sid != member.sid { departures.add(sid, at: member.since) }
        guard concerns(room) else { return }
        if isOld(member) {
            if sid != member.sid { presence.remove(sid: sid, from: room) }
            return
        }
        departures.forget(member.sid)
        // The message about an earlier move may arrive after this one.
        let earlier = presence.contains(sid: sid, in: room) ? nil : sameClient(as: member)
        // If the old entry was unknown, the new one is announced like any other member.
        let isNew = !presence.replace(sid: earlier?.sid ?? sid, with: member) && presence.add(member)
        vacate(for: member)
        if isNew && !wasHere || again { rooms.reportJoin(member) }
    }

    /// Determines whether the seat is known to belong to another client, or to a newer connection of this
    /// one.
    private func isOld(_ member: RemoteMember) -> Bool {
        if departures.contains(member) { return true }
        guard !link.seats.isOpen else { return (sameClient(as: member)?.since ?? 0) > member.since }
        let holders = rivals(of: member).map(\.since)
        let here = rooms.members(of: member.identity.room).filter { $0.role == member.role }.map(\.since)
        return (holders + here).contains { $0 > member.since }
    }

    private func sameClient(as member: RemoteMember) -> RemoteMember? {
        rivals(of: member).first {
            $0.mayBeSameClient(as: member) && (!link.seats.isOpen || $0.keyHash != nil)
        }
    }
}

/// The sockets whose clients have recently moved on to other sockets; later reports of the old ones are
/// outdated.
private struct Departures {
    /// The times of the moves, in milliseconds since 1970.
    private var times = RecentEntries<String, Int>(4096)

    mutating func add(_ sid: String, at time: Int) { times[sid] = time }

    mutating func forget(_ sid: String) { times[sid] = nil }

    /// Determines whether the client has moved on since the state that `member` describes.
    func contains(_ member: RemoteMember) -> Bool { times[member.sid].map { member.since <= $0 } ?? false }
}
