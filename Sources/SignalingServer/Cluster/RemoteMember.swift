internal import CallCore
internal import SocketIO

/// Somebody in a room who is connected to another server.
struct RemoteMember: Hashable {
    /// The id under which that server publishes.
    let node: String
    /// Of its socket.
    let sid: String
    let identity: Identity
    let role: Role
    /// What its secret key hashes to; nil where it has none, or that is not known here.
    var keyHash: String?
    /// When it came, in milliseconds since 1970 by Redis' clock; 0 where that is not known.
    var since = 0

    init(node: String, sid: String, identity: Identity, role: Role, keyHash: String? = nil) {
        self.node = node
        self.sid = sid
        self.identity = identity
        self.role = role
        self.keyHash = keyHash
    }

    /// Reads what a server of our kind has written of a room; nil where it is something else.
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

    /// Reads who joined from what a server tells its clients; nil where that is nobody.
    ///
    /// Servers of other makers write numbers and truth values as they like.
    init?(told json: JSON?, node: String, sid: String?, room: RoomID) {
        guard let json, let name = try? Username(json["username"]?.stringValue ?? "") else { return nil }
        let role = Self.role(json["isCaller"]) ?? .callee
        let socket = sid.flatMap { $0.utf8.count <= Self.maximumID ? $0 : nil } ?? "\(name)/\(role)"
        self.init(node: node, sid: socket, identity: Identity(username: name, room: room), role: role)
    }

    /// The role as `isCaller` says it; nil where it says nothing.
    static func role(_ isCaller: JSON?) -> Role? {
        switch isCaller {
        case .bool(let value): value ? .caller : .callee
        case .string(let text): text == "true" || text == "1" ? .caller : .callee
        case .int(let value): value != 0 ? .caller : .callee
        default: nil
        }
    }

    /// Stands for the server of whoever was heard of by a list that names none.
    static let unknownNode = ""

    /// In bytes, of ids and of what keys hash to.
    static let maximumID = 64

    /// Whether a socket or a server may have that id: what is longer is not kept.
    static func isID(_ text: String) -> Bool { (1...maximumID).contains(text.utf8.count) }

    /// Whether both are connections of one client; of two without keys that is taken so by their names.
    func isSameClient(as other: RemoteMember) -> Bool {
        identity == other.identity && role == other.role && keyHash == other.keyHash
    }

    /// The same, where what is known of this one may lack its key.
    func mayBeSameClient(as other: RemoteMember) -> Bool {
        identity == other.identity && role == other.role && (keyHash == nil || keyHash == other.keyHash)
    }

    /// Whether the other is this one under another name, which its client, known by its key, has taken since.
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
}
