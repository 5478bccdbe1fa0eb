internal import Basics
package import CallCore

/// The content of a room token: the room, the permitted name and role, and the expiry.
package struct RoomToken: Hashable, Sendable {
    package let room: RoomID
    /// The permitted name; nil for any.
    package let username: Username?
    /// The permitted role; nil for either.
    package let role: Role?
    /// The time of expiry in seconds since 1970.
    package let expiry: Int
    /// The token's owner, from the `sub` claim; nil if there is none.
    ///
    /// A client without a key can only return as a member if its new token has the same owner.
    package let subject: String?

    package init(room: RoomID, username: Username?, role: Role?, expiry: Int, subject: String? = nil) {
        self.room = room
        self.username = username
        self.role = role
        self.expiry = expiry
        self.subject = subject
    }

    /// Checks that the token permits a client to join with an identity and a role.
    ///
    /// - Throws: `TokenRefusal` naming the claim that does not match.
    func admit(_ identity: Identity, _ role: Role) throws(TokenRefusal) {
        guard room == identity.room else { throw .otherRoom }
        guard username ?? identity.username == identity.username else { throw .otherName }
        guard self.role ?? role == role else { throw .otherRole }
    }
}

extension RoomToken {
    /// Verifies a token, and checks that it permits the join request.
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

/// The reason for refusing a token, which reveals nothing about the token or the key.
enum TokenRefusal: Error, Hashable, CaseIterable {
    case missing, malformed, otherAlgorithm, critical, badSignature, expired, notYetValid, badClaims
    case otherRoom, otherName, otherRole

    /// A human-readable reason.
    var reason: String {
        switch self {
        case .missing: "this server requires a room token"
        case .malformed: "the token is not a JSON Web Token"
        case .otherAlgorithm: "the token's algorithm does not match this server's key"
        case .critical: "the token requires an extension that this server does not support (crit)"
        case .badSignature: "the token was not signed with this server's key"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .badClaims: "the token lacks a valid room, role or expiry time"
        case .otherRoom: "the token is for another room"
        case .otherName: "the token is for another name"
        case .otherRole: "the token is for the other role"
        }
    }

    /// The claim that does not match; nil if the token as a whole is refused.
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
