internal import CallCore

/// Who is on other servers, in the rooms that somebody here is in too.
///
/// Each comes once and goes once, however often and in whatever order that is heard.
struct RemotePresence {
    /// How many of a room are taken note of.
    private let capacity: Int
    private var rooms: [RoomID: [RemoteMember]] = [:]

    init(capacity: Int = 256) { self.capacity = capacity }

    var count: Int { rooms.values.reduce(0) { $0 + $1.count } }

    /// Those in a room, in the order in which they became known.
    func members(of room: RoomID) -> [RemoteMember] { rooms[room] ?? [] }

    /// The servers that somebody known is on.
    var nodes: Set<String> { Set(rooms.values.joined().map(\.node)) }

    /// The rooms that somebody is known to be in on that server.
    func rooms(of node: String) -> [RoomID] {
        rooms.compactMap { room, members in members.contains { $0.node == node } ? room : nil }
    }

    /// The rooms that somebody elsewhere is known to be in.
    var knownRooms: [RoomID] { Array(rooms.keys) }

    func member(sid: String, in room: RoomID) -> RemoteMember? { members(of: room).first { $0.sid == sid } }

    /// Others in its room who have the same role.
    func rivals(of member: RemoteMember) -> [RemoteMember] {
        members(of: member.identity.room).filter { $0.role == member.role && $0.sid != member.sid }
    }

    func contains(sid: String, in room: RoomID) -> Bool { members(of: room).contains { $0.sid == sid } }

    /// Takes note of somebody; false where that one is known already, or there are too many.
    mutating func add(_ member: RemoteMember) -> Bool {
        let room = member.identity.room
        guard !contains(sid: member.sid, in: room), members(of: room).count < capacity else { return false }
        rooms[room, default: []].append(member)
        return true
    }

    /// Forgets who has that socket under another name; nil where nobody has.
    mutating func rename(_ member: RemoteMember) -> RemoteMember? {
        remove(from: member.identity.room) { $0.isRenamed(as: member) }
    }

    /// Forgets who has that socket; nil where nobody known has it.
    mutating func remove(sid: String, from room: RoomID) -> RemoteMember? {
        remove(from: room) { $0.sid == sid }
    }

    /// Forgets whom a server tells as gone: by the socket where that is known, else the first of that name.
    ///
    /// Not every server tells the role, and of some members it is not known which server they are on. Ours always name
    /// the socket.
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

    /// Puts one in another's place, of which nobody need hear; false where the other is not known.
    mutating func replace(sid: String, with member: RemoteMember) -> Bool {
        let room = member.identity.room
        guard let index = rooms[room]?.firstIndex(where: { $0.sid == sid }) else { return false }
        rooms[room]?[index] = member
        guard sid != member.sid else { return true }
        // It may have been heard of before.
        let others = rooms[room]?.indices.filter { $0 != index && rooms[room]?[$0].sid == member.sid } ?? []
        for other in others.reversed() { rooms[room]?.remove(at: other) }
        return true
    }

    /// Forgets all who are on that server.
    mutating func remove(node: String) -> [RemoteMember] {
        let gone = rooms.values.joined().filter { $0.node == node }
        for member in gone { _ = remove(sid: member.sid, from: member.identity.room) }
        return gone
    }

    /// Forgets a room that nobody here is in any more.
    mutating func forget(_ room: RoomID) { rooms[room] = nil }

    /// Who has to be told as gone, and as come, now that these are known to be all whom our own servers have there.
    ///
    /// With `isSettled` false one who is missing may still come back; only where each role has a single seat, one in
    /// whose seat another is has gone.
    mutating func reconcile(
        _ room: RoomID,
        with present: [RemoteMember],
        isSettled: Bool,
        hasSeats: Bool,
        except news: [String: Int],
        isOurs: (String) -> Bool
    ) -> (left: [RemoteMember], joined: [RemoteMember]) {
        let sids = Set(present.map(\.sid))
        let roles = Set(present.map(\.role))
        let left = members(of: room).filter { member in
            guard isOurs(member.node), news[member.sid] == nil else { return false }
            guard !sids.contains(member.sid) else { return present.contains(where: member.isRenamed) }
            return isSettled || hasSeats && roles.contains(member.role)
        }
        for member in left { _ = remove(sid: member.sid, from: room) }
        let joined = present.filter { news[$0.sid] == nil && add($0) }
        return (left, joined)
    }
}
