internal import CallCore
internal import SocketIO

/// Who wants to be in which room, in which role.
struct JoinRequest: Hashable, Sendable {
    static let maximumKeyLength = 256

    let identity: Identity
    let role: Role
    /// A secret by which a client proves that it was here before; clients of other makers have none.
    let key: String?
    /// When the room token that let it in ends, in seconds since 1970; nil where none was asked for.
    var tokenExpiry: Int?
    /// Whether the room token says in which role.
    var isRoleBound = false
    /// Whose the room token is, by its claim `sub`; nil where it does not say, or none was asked for.
    var subject: String?

    /// Reads the fields from the handshake's query, and those it lacks from the CONNECT packet's payload.
    ///
    /// - Throws: `JoinRefusal` naming the first field that is missing or wrong.
    init(query: [String: String], auth: JSON?) throws(JoinRefusal) {
        func text(_ field: String) -> String { query[field] ?? auth?[field]?.scalarText ?? "" }
        do throws(IdentityError) {
            let room = try RoomID(text("roomId"))
            identity = Identity(username: try Username(text("username")), room: room)
            role = try Self.role(text("isCaller"))
        } catch {
            throw .invalid(error)
        }
        key = try Self.key(auth?["key"])
    }

    private static func role(_ text: String) throws(IdentityError) -> Role {
        guard text.utf8.count <= 5 else {
            throw .isCaller(String(text.unicodeScalars.prefix(80)).printable())
        }
        switch text.lowercased() {
        case "true", "1": return .caller
        case "false", "0": return .callee
        default: throw .isCaller(text.printable(limit: 80))
        }
    }

    private static func key(_ value: JSON?) throws(JoinRefusal) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let key = value.stringValue, (1...maximumKeyLength).contains(key.utf8.count) else {
            throw .invalidKey
        }
        return key
    }
}

extension JSON {
    /// A string as it is, a number or truth value as it is written; nil for the others.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .bool, .int, .number: serialized()
        case .null, .array, .object, .binary: nil
        }
    }
}
