internal import CallCore
internal import Logging
internal import NIOCore
internal import SocketIO

/// The members on other servers that share rooms with members of this server.
///
/// Changes are announced to this server's members. Confined to the server's event loop.
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

    /// Counts a room's known members on other servers; 0 while Redis cannot be reached.
    func count(in room: RoomID) -> Int { link.isUp ? presence.members(of: room).count : 0 }

    func members(of room: RoomID) -> [RemoteMember] { presence.members(of: room) }

    func member(sid: String, in room: RoomID) -> RemoteMember? { presence.member(sid: sid, in: room) }

    /// The ids of the servers on which members are known.
    var nodes: Set<String> { presence.nodes }

    /// The rooms with known remote members.
    var knownRooms: [RoomID] { presence.knownRooms }

    /// Lists the other members on callrunner servers that have the room and role of `member`.
    func rivals(of member: RemoteMember) -> [RemoteMember] {
        presence.rivals(of: member).filter { link.isOurs($0.node) }
    }

    /// Determines whether a room has members or pending membership changes on this server.
    func concerns(_ room: RoomID) -> Bool {
        questions.gates.isHeld(room) || !rooms.members(of: room).isEmpty
    }

    /// Determines whether the client of a remote member is also a member on this server, with the same key.
    ///
    /// If so, its earlier seat on the other server has not been taken over yet.
    private func isHere(_ place: RemoteMember) -> Bool {
        place.keyHash != nil
            && rooms.members(of: place.identity.room).contains {
                RemoteMember($0, node: link.node).isSameClient(as: place)
            }
    }

    // MARK: - Silent changes

    /// Adds a member without announcing it; false if it is known already or the room has reached its limit.
    func add(_ member: RemoteMember) -> Bool { presence.add(member) }

    /// Adds a client that has moved from this server to another one, unless it has moved again since.
    func addReturned(_ member: RemoteMember) {
        if !departures.contains(member) { _ = presence.add(member) }
    }

    /// Removes and returns the member that has the socket `sid`, without announcing it; nil if there is none.
    @discardableResult
    func remove(sid: String, from room: RoomID) -> RemoteMember? { presence.remove(sid: sid, from: room) }

    /// Records that a client moved from the socket `sid` to another one at `time`, so that older reports
    /// about `sid` are ignored.
    func supersede(_ sid: String, at time: Int) { departures.add(sid, at: time) }

    /// Removes the remote members of a room that has no member and no pending membership change on this
    /// server.
    func forgetIfEmpty(_ room: RoomID) {
        if !concerns(room) { presence.forget(room) }
    }

    // MARK: - Announced changes

    /// Announces a remote member to this server's members, and sends it the signals that are stored for it.
    func welcome(_ member: RemoteMember) {
        rooms.reportJoin(member)
        for packet in rooms.held(for: member) { link.publish(packet, to: member.sid) }
    }

    /// Reports that a member has left, unless the same client is a member on this or another callrunner
    /// server.
    ///
    /// This is for departures that no server has announced: the client may have moved while the servers could
    /// not reach each other.
    private func reportLeaveUnlessHere(_ member: RemoteMember) {
        let room = member.identity.room
        let others =
            presence.members(of: room).filter { link.isOurs($0.node) }
            + rooms.members(of: room).map { RemoteMember($0, node: link.node) }
        if !others.contains(where: member.mayBeSameClient) { rooms.reportLeave(member) }
    }

    /// Updates a room's members on callrunner servers, and announces the changes to this server's members.
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

    /// Removes the members on callrunner servers that held the seat of `place` before, and reports that they
    /// have left.
    ///
    /// Only one member at a time holds a seat, so they have left even if this has not been reported yet.
    func vacate(for place: RemoteMember) {
        guard !link.seats.isOpen else { return }
        for rival in rivals(of: place) {
            presence.remove(sid: rival.sid, from: place.identity.room)
            rooms.reportLeave(rival)
        }
    }

    /// Removes all members on a server that has failed, and reports that they have left.
    func removeNode(_ node: String) {
        let gone = presence.remove(node: node)
        link.logger.notice(
            "another server left the cluster",
            metadata: ["node": "\(node)", "members": "\(gone.count)"]
        )
        for member in gone { reportLeaveUnlessHere(member) }
    }

    // MARK: - Reports of other servers

    /// Announces a member that joined on another server, unless it is known already or the report is
    /// outdated.
    func joined(_ member: RemoteMember) {
        if link.isOurs(member.node) {
            questions.note(member.sid, in: member.identity.room)
            guard !isOld(joined: member) else { return }
            vacate(for: member)
        }
        if let earlier = presence.rename(member) { rooms.reportLeave(earlier) }
        if presence.add(member) { welcome(member) }
    }

    /// Determines whether a reported join is outdated: the client has moved, or a member on this server has
    /// its role.
    ///
    /// If members on two servers have the same role, one of them is about to be removed.
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

    /// Handles a report that another client has claimed a member's seat.
    func ousted(_ sid: String, from room: RoomID) {
        questions.note(sid, in: room)
        rooms.oust(sid: sid)
        if let member = presence.remove(sid: sid, from: room) { rooms.reportLeave(member) }
    }

    /// Handles the stop of a server: its members have left, except those with a key.
    ///
    /// Members with a key may return on another server before the stopped server's heartbeat expires.
    func stopped(_ node: String) {
        // A pending reply of Redis may still contain members of the stopped server.
        let rooms = Set(presence.rooms(of: node)).union(questions.pending)
        Sweep.run(over: Array(rooms), on: link.eventLoop) { [weak self] in
            self?.part(from: node, in: $0, $1)
        }
    }

    private func part(from node: String, in room: RoomID, _ next: @escaping () -> Void) {
        // If Redis does not reply now, the members are removed after the outage.
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

    /// Handles the message of another server that the client of the socket `sid` has reconnected, to this or another
    /// server, and is now `member`.
    ///
    /// `isDeparting` is whether this server is releasing the seat of the old socket. If `again` is true, the join of
    /// the client is announced to the room even if the client was known.
    func moved(_ sid: String, to member: RemoteMember, again: Bool, isDeparting: Bool) {
        let room = member.identity.room
        if member.node == link.node {
            // The client has moved to this server, and the other server has only now ended the earlier
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

    /// Determines whether a reported move is outdated: another client, or a newer connection, is known to
    /// hold the seat.
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

/// The sockets that clients have recently left for other sockets; older reports about these sockets are
/// ignored.
private struct Departures {
    /// The times of the moves by the ids of the old sockets, in milliseconds since 1970.
    private var times = RecentEntries<String, Int>(4096)

    mutating func add(_ sid: String, at time: Int) { times[sid] = time }

    mutating func forget(_ sid: String) { times[sid] = nil }

    /// Determines whether the client has left the socket of `member` since the time `member.since`.
    func contains(_ member: RemoteMember) -> Bool { times[member.sid].map { member.since <= $0 } ?? false }
}
