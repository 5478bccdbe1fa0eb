internal import CallCore

/// The known members on other servers, in rooms with members on this server.
///
/// Repeated or reordered reports add and remove a member only once.
struct RemotePresence {
    /// The maximum number of members stored per room.
    private let capacity: Int
    private var rooms: [RoomID: [RemoteMember]] = [:]

    init(capacity: Int = 256) { self.capacity = capacity }

    var count: Int { rooms.values.reduce(0) { $0 + $1.count } }

    /// Lists the members in a room, in the order in which they became known.
    func members(of room: RoomID) -> [RemoteMember] { rooms[room] ?? [] }

    /// The ids of the servers on which members are known.
    var nodes: Set<String> { Set(rooms.values.joined().map(\.node)) }

    /// Lists the rooms with known members on a server.
    func rooms(of node: String) -> [RoomID] {
        rooms.compactMap { room, members in members.contains { $0.node == node } ? room : nil }
    }

    /// The rooms with known remote members.
    var knownRooms: [RoomID] { Array(rooms.keys) }

    func member(sid: String, in room: RoomID) -> RemoteMember? { members(of: room).first { $0.sid == sid } }

    /// Lists the other members that have the room and role of `member`.
    func rivals(of member: RemoteMember) -> [RemoteMember] {
        members(of: member.identity.room).filter { $0.role == member.role && $0.sid != member.sid }
    }

    func contains(sid: String, in room: RoomID) -> Bool { members(of: room).contains { $0.sid == sid } }

    /// Adds a member; false if it is known already or the room has reached its limit.
    mutating func add(_ member: RemoteMember) -> Bool {
        let room = member.identity.room
        guard !contains(sid: member.sid, in: room), members(of: room).count < capacity else { return false }
        rooms[room, default: []].append(member)
        return true
    }

    /// Removes and returns the member that has the same socket but another name or role; nil if there is
    /// none.
    mutating func rename(_ member: RemoteMember) -> RemoteMember? {
        remove(from: member.identity.room) { $0.isRenamed(as: member) }
    }

    /// Removes and returns the member that has the socket `sid`; nil if there is none.
    @discardableResult
    mutating func remove(sid: String, from room: RoomID) -> RemoteMember? {
        remove(from: room) { $0.sid == sid }
    }

    /// Removes a member that a server reports as having left: by its socket if known, else the first with
    /// that name.
    ///
    /// Foreign servers may not report the socket or the role, and the servers of some members are unknown.
    /// callrunner servers always report the socket.
    mutating func remove(
        _ name: Username,
        _ role: Role?,
        of node: String,
        sid: String?,
        isOurs: Bool,
        from room: RoomID
    ) -> RemoteMember? {
        if let sid, let member = remove(sid: sid, from: room) { return member }
        guard !isOurs else { return nil }
        return remove(from: room) {
            ($0.node == node || $0.node == RemoteMember.unknownNode) && $0.identity.username == name
                && (role == nil || $0.role == role)
        }
    }

    private mutating func remove(from room: RoomID, _ isMeant: (RemoteMember) -> Bool) -> RemoteMember? {
        guard var members = rooms[room], let index = members.firstIndex(where: isMeant) else { return nil }
        let member = members.remove(at: index)
        rooms[room] = members.isEmpty ? nil : members
        return member
    }

    /// Replaces the member that has the socket `sid`, without announcing it; false if there is none.
    mutating func replace(sid: String, with member: RemoteMember) -> Bool {
        let room = member.identity.room
        guard let index = rooms[room]?.firstIndex(where: { $0.sid == sid }) else { return false }
        rooms[room]?[index] = member
        guard sid != member.sid else { return true }
        // The new socket may have been reported before.
        let others = rooms[room]?.indices.filter { $0 != index && rooms[room]?[$0].sid == member.sid } ?? []
        for other in others.reversed() { rooms[room]?.remove(at: other) }
        return true
    }

    /// Removes and returns all members on a server.
    mutating func remove(node: String) -> [RemoteMember] {
        let gone = rooms.values.joined().filter { $0.node == node }
        for member in gone { _ = remove(sid: member.sid, from: member.identity.room) }
        return gone
    }

    /// Removes the remote members of a room that has no members on this server any more.
    mutating func forget(_ room: RoomID) { rooms[room] = nil }

    /// Updates a room's members on callrunner servers, and returns those to announce as left and joined.
    ///
    /// Unless `isSettled`, a missing member may still return. It is then reported as having left only if
    /// another client has its role, which requires that each role has one seat (`hasSeats`).
    mutating func reconcile(
        _ room: RoomID,
        with present: [RemoteMember],
        isSettled: Bool,
        hasSeats: Bool,
        except updates: [String: Int],
        isOurs: (String) -> Bool
    ) -> (left: [RemoteMember], joined: [RemoteMember]) {
        let sids = Set(present.map(\.sid))
        let roles = Set(present.map(\.role))
        let left = members(of: room).filter { member in
            guard isOurs(member.node), updates[member.sid] == nil else { return false }
            guard !sids.contains(member.sid) else { return present.contains(where: member.isRenamed) }
            return isSettled || hasSeats && roles.contains(member.role)
        }
        for member in left { _ = remove(sid: member.sid, from: room) }
        let joined = present.filter { updates[$0.sid] == nil && add($0) }
        return (left, joined)
    }
}
