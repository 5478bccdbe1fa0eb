internal import Basics
internal import CallCore

/// A client's request to join a room in a role.
struct JoinRequest: Hashable, Sendable {
    static let maximumKeyLength = 256

    let identity: Identity
    let role: Role
    /// A secret by which a returning client proves that it is the same one; nil if the client sends none.
    let key: String?
    /// The expiry of the room token in seconds since 1970; nil if no token was required.
    var tokenExpiry: Int?
    /// Whether the room token fixes the role.
    var isRoleBound = false
    /// The owner of the room token, from its `sub` claim; nil if there is no claim or no token was required.
    var subject: String?

    /// Reads the fields from the handshake's query, and missing fields from the CONNECT packet's payload; the
    /// key is read only from the payload.
    ///
    /// - Throws: `JoinRefusal` naming the first field that is missing or invalid.
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
    /// A string unchanged, a number or Boolean as its JSON text; nil for other values.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .bool, .int, .number: serialized()
        case .null, .array, .object, .binary: nil
        }
    }
}
