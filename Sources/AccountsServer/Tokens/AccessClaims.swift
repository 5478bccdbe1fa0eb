internal import HTTPFront

/// The claims of an access token, which a signed-in user sends with each request.
struct AccessClaims: TokenClaims, Hashable {
    private enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case issued = "iat"
        case expires = "exp"
        case id = "jti"
        case session = "sid"
        case kind = "typ"
    }

    private static let access = "access"

    /// The ID of the user.
    let user: Int
    /// The ID of the session.
    let session: String
    /// The name of the refresh token that was issued with this access token.
    let id: String
    private let issued: Int
    private let expires: Int

    init(user: Int, session: String, id: String, issued: Int, lifetime: Int) {
        (self.user, self.session, self.id) = (user, session, id)
        (self.issued, expires) = (issued, issued + lifetime)
    }

    var expiry: Double? {
        // Decoding must not throw for claims that are missing.
        user > 0 && !session.isEmpty ? Double(expires) : nil
    }

    var notBefore: Double? { nil }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String { (try? claims.decode(String.self, forKey: key)) ?? "" }
        func number(_ key: CodingKeys) -> Int { (try? claims.decode(Int.self, forKey: key)) ?? 0 }
        // Room tokens, which may be signed with the same key, have no `typ` claim.
        let isAccess = text(.kind) == Self.access
        user = isAccess ? Int(text(.subject)) ?? 0 : 0
        (session, id) = (text(.session), text(.id))
        (issued, expires) = (number(.issued), number(.expires))
    }

    func encode(to encoder: any Encoder) throws {
        var claims = encoder.container(keyedBy: CodingKeys.self)
        try claims.encode(String(user), forKey: .subject)
        try claims.encode(issued, forKey: .issued)
        try claims.encode(expires, forKey: .expires)
        try claims.encode(id, forKey: .id)
        try claims.encode(session, forKey: .session)
        try claims.encode(Self.access, forKey: .kind)
    }
}
