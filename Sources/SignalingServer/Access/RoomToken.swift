package import CallCore

/// What a room token says: who may join which room, in which role, and until when.
package struct RoomToken: Hashable, Sendable {
    package let room: RoomID
    /// Nil where any name will do.
    package let username: Username?
    /// Nil where either role will do.
    package let role: Role?
    /// In seconds since 1970.
    package let expiry: Int
    /// Whose it is: who comes back has to be the same; nil where it does not say.
    package let subject: String?

    package init(room: RoomID, username: Username?, role: Role?, expiry: Int, subject: String? = nil) {
        self.room = room
        self.username = username
        self.role = role
        self.expiry = expiry
        self.subject = subject
    }

    /// - Throws: `TokenRefusal` naming the claim that does not agree with what is asked for.
    func admit(_ identity: Identity, _ role: Role) throws(TokenRefusal) {
        guard room == identity.room else { throw .otherRoom }
        guard username ?? identity.username == identity.username else { throw .otherName }
        guard self.role ?? role == role else { throw .otherRole }
    }
}

extension RoomToken {
    /// The token, where it allows what is asked for.
    static func check(
        _ token: String?,
        for request: JoinRequest,
        with key: TokenKey
    ) async -> Result<RoomToken, TokenRefusal> {
        do throws(TokenRefusal) {
            guard let token else { throw .missing }
            let permission = try await key.verify(token, at: Double(WallClock.seconds))
            try permission.admit(request.identity, request.role)
            return .success(permission)
        } catch {
            return .failure(error)
        }
    }
}

/// Why a token lets nobody in; tells nothing of the token or the key.
enum TokenRefusal: Error, Hashable, CaseIterable {
    case missing, malformed, otherAlgorithm, critical, badSignature, expired, notYetValid, badClaims
    case otherRoom, otherName, otherRole

    /// For people.
    var reason: String {
        switch self {
        case .missing: "this server asks for a room token"
        case .malformed: "the token is no JSON Web Token"
        case .otherAlgorithm: "the token's algorithm is not that of this server's key"
        case .critical: "the token demands what this server does not know (crit)"
        case .badSignature: "the token was not signed with this server's key"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .badClaims: "the token does not say for which room, which role and until when it holds"
        case .otherRoom: "the token is for another room"
        case .otherName: "the token is for another name"
        case .otherRole: "the token is for the other role"
        }
    }

    /// The claim that stands against it; nil where it is the token as a whole.
    var claim: String? {
        switch self {
        case .missing, .malformed, .otherAlgorithm, .critical, .badSignature, .badClaims: nil
        case .expired: "exp"
        case .notYetValid: "nbf"
        case .otherRoom: "room"
        case .otherName: "name"
        case .otherRole: "role"
        }
    }
}
