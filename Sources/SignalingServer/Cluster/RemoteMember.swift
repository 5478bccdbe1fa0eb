internal import Basics
internal import CallCore

/// A member of a room, on this server or another.
protocol Occupant {
    var identity: Identity { get }
    var role: Role { get }
}

extension Member: Occupant {}

/// A member of a room, usually on another server, in the form that servers exchange.
struct RemoteMember: Hashable, Occupant {
    /// The id of the server that the member is connected to.
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
    /// Decodes a member that a callrunner server has stored or published; nil if it is malformed.
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

    /// Reads a member from a `room_user_joined` event or from a handshake's query; nil if the username is
    /// invalid.
    ///
    /// Foreign servers may encode numbers and Booleans differently, for example as strings.
    init?(parsing json: JSON?, node: String, sid: String?, room: RoomID) {
        guard let json, let name = try? Username(json["username"]?.stringValue ?? "") else { return nil }
        let role = Self.role(json["isCaller"]) ?? .callee
        let socket = sid.flatMap { $0.utf8.count <= Self.maximumID ? $0 : nil } ?? "\(name)/\(role)"
        self.init(node: node, sid: socket, identity: Identity(username: name, room: room), role: role)
    }

    /// Reads the role from the value of `isCaller`; nil if it is missing, or not a Boolean, string or
    /// integer.
    static func role(_ isCaller: JSON?) -> Role? {
        switch isCaller {
        case .bool(let value): value ? .caller : .callee
        case .string(let text): text == "true" || text == "1" ? .caller : .callee
        case .int(let value): value != 0 ? .caller : .callee
        default: nil
        }
    }

    /// The value of `node` for members whose server is unknown, because a foreign server's list does not name
    /// it.
    static let unknownNode = ""

    /// The maximum length in bytes of ids and key hashes.
    static let maximumID = 64

    /// Determines whether a text is a possible id of a socket or server; longer ones are not stored.
    static func isID(_ text: String) -> Bool { (1...maximumID).contains(text.utf8.count) }

    /// Determines whether both are the same client: the names and roles must be equal, and so must the keys,
    /// if any.
    func isSameClient(as other: RemoteMember) -> Bool {
        identity == other.identity && role == other.role && keyHash == other.keyHash
    }

    /// Determines whether both may be the same client, even if this member's key is unknown.
    func mayBeSameClient(as other: RemoteMember) -> Bool {
        identity == other.identity && role == other.role && (keyHash == nil || keyHash == other.keyHash)
    }

    /// Determines whether `other` is the same socket, but with another name, room or role.
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

    /// Creates the form in which a member of this server is shared with other servers.
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
