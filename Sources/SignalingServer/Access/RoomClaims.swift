internal import CallCore
internal import JWTKit

/// The claims of a room token, as they are written.
struct RoomClaims: JWTPayload {
    private struct WrongValue: Error {}

    private enum CodingKeys: String, CodingKey { case room, name, role, exp, nbf, sub }

    /// Nil where a claim is missing, or is not what it should be.
    let token: RoomToken?
    /// In seconds since 1970.
    private(set) var notBefore: Double?

    init(_ token: RoomToken) { self.token = token }

    // Throws nothing of its own: the library would make one error of these and a malformed token.
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

    /// The signature is all that is checked here: the time is the caller's to know.
    func verify(using algorithm: some JWTAlgorithm) {}
}
