internal import CallCore
internal import SocketIO

/// A member of a room, on this server or another.
protocol Occupant {
    var identity: Identity { get }
    var role: Role { get }
}

extension Member: Occupant {}

/// A member of a room who is connected to another server.
struct RemoteMember: Hashable, Occupant {
    /// The id under which that server publishes.
    let node: String
    /// The id of the member's socket.
    let sid: String
    let identity: Identity
    let role: Role
    /// The hash of the client's secret key; nil if it has none or this server does not know it.
    var keyHash: String?
    /// The time of the join in milliseconds since 1970 by Redis' clock; 0 if unknown.
    var since = 0
}

extension RemoteMember {
    /// Decodes an entry that a callrunner server has stored for a room; nil if it is malformed.
    init?(_ json: JSON?, room: RoomID) {
        guard let json, let node = json["node"]?.stringValue, let sid = json["sid"]?.stringValue,
            Self.isID(sid), Self.isID(node),
            let name = try? Username(json["username"]?.stringValue ?? ""),
            let isCaller = json["isCaller"]?.boolValue,
            json["key"]?.stringValue.map({ $0.utf8.count <= Self.maximumID }) ?? true
        else { return nil }
        self.init(
            node: node,
            sid: sid,
            identity: Identity(username: name, room: room),
            role: isCaller ? .caller : .callee,
            keyHash: json["key"]?.stringValue
        )
        since = json["since"]?.intValue ?? 0
    }

    /// Reads a member from the event that a server sends its clients; nil if it names none.
    ///
    /// Foreign servers may send numbers and Booleans in other forms.
    init?(parsing json: JSON?, node: String, sid: String?, room: RoomID) {
        guard let json, let name = try? Username(json["username"]?.stringValue ?? "") else { return nil }
        let role = Self.role(json["isCaller"]) ?? .callee
        let socket = sid.flatMap { $0.utf8.count <= Self.maximumID ? $0 : nil } ?? "\(name)/\(role)"
        self.init(node: node, sid: socket, identity: Identity(username: name, room: room), role: role)
    }

    /// Reads the role from `isCaller`; nil if it has no usable value.
    static func role(_ isCaller: JSON?) -> Role? {
        switch isCaller {
        case .bool(let value): value ? .caller : .callee
        case .string(let text): text == "true" || text == "1" ? .caller : .callee
        case .int(let value): value != 0 ? .caller : .callee
        default: nil
        }
    }

    /// The node of members from a list that does not name their server.
    static let unknownNode = ""

    /// The maximum length in bytes of ids and key hashes.
    static let maximumID = 64

    /// Determines whether a text is a possible id of a socket or server; longer ones are not stored.
    static func isID(_ text: String) -> Bool { (1...maximumID).contains(text.utf8.count) }

    /// Determines whether both are connections of one client; without keys, the names decide.
    func isSameClient(as other: RemoteMember) -> Bool {
        identity == other.identity && role == other.role && keyHash == other.keyHash
    }

    /// Determines whether both may be connections of one client, given that this one's key may be unknown.
    func mayBeSameClient(as other: RemoteMember) -> Bool {
        identity == other.identity && role == other.role && (keyHash == nil || keyHash == other.keyHash)
    }

    /// Determines whether the client has since changed its name or role to that of `other`, on the same
    /// socket.
    func isRenamed(as other: RemoteMember) -> Bool {
        sid == other.sid && (identity != other.identity || role != other.role)
    }

    var json: JSON {
        var json: JSONObject = [
            "node": .string(node), "sid": .string(sid), "username": .string(identity.username.value),
            "isCaller": .bool(role == .caller),
        ]
        json["key"] = keyHash.map(JSON.string)
        if since > 0 { json["since"] = .int(since) }
        return .object(json)
    }

    /// Creates the entry by which other servers know a member of this server.
    init(_ member: Member, node: String) {
        self.init(member.request, node: node, sid: member.sid)
        since = member.since
    }

    init(_ request: JoinRequest, node: String, sid: String) {
        let (room, role) = (request.identity.room, request.role)
        self.init(
            node: node,
            sid: sid,
            identity: request.identity,
            role: role,
            keyHash: request.key.map { ClusterKeys.hash($0, room: room, role: role) }
        )
    }
}
