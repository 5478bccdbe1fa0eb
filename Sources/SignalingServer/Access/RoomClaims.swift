internal import CallCore
internal import HTTPFront

/// The claims of a room token.
struct RoomClaims: TokenClaims {
    private struct WrongValue: Error {}

    private enum CodingKeys: String, CodingKey { case room, name, role, exp, nbf, sub }

    /// The decoded token; nil if a claim is missing or invalid.
    let token: RoomToken?
    /// The time of the `nbf` claim in seconds since 1970; nil if it is missing or invalid.
    private(set) var notBefore: Double?

    var expiry: Double? { token.map { Double($0.expiry) } }

    init(_ token: RoomToken) { self.token = token }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        notBefore = try? claims.decodeIfPresent(Double.self, forKey: .nbf)
        token = try? Self.token(claims)
    }

    private static func token(_ claims: KeyedDecodingContainer<CodingKeys>) throws -> RoomToken {
        let room = (try? claims.decode(Int.self, forKey: .room)).map(String.init)
        let role = try claims.decodeIfPresent(String.self, forKey: .role).map(Role.init)
        let expiry = Int(exactly: try claims.decode(Double.self, forKey: .exp).rounded(.up))
        _ = try claims.decodeIfPresent(Double.self, forKey: .nbf)
        guard let expiry, role != .some(nil) else { throw WrongValue() }
        return RoomToken(
            room: try RoomID(room ?? claims.decode(String.self, forKey: .room)),
            username: try claims.decodeIfPresent(String.self, forKey: .name).map { try Username($0) },
            role: role ?? nil,
            expiry: expiry,
            subject: try claims.decodeIfPresent(String.self, forKey: .sub)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var claims = encoder.container(keyedBy: CodingKeys.self)
        try claims.encodeIfPresent(token?.room.value, forKey: .room)
        try claims.encodeIfPresent(token?.username?.value, forKey: .name)
        try claims.encodeIfPresent(token?.role?.rawValue, forKey: .role)
        try claims.encodeIfPresent(token?.expiry, forKey: .exp)
        try claims.encodeIfPresent(token?.subject, forKey: .sub)
    }
}
