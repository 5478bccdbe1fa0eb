package import CallCore
package import HTTPFront

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
    /// A client that sends no secret key (`JoinRequest.key`) can only return as a member if its new token has the same
    /// owner.
    package let subject: String?

    package init(room: RoomID, username: Username?, role: Role?, expiry: Int, subject: String? = nil) {
        self.room = room
        self.username = username
        self.role = role
        self.expiry = expiry
        self.subject = subject
    }

    /// Creates the content of a token for one room from a pass, which permits joining any room.
    init(_ pass: RoomPass, room: RoomID) {
        self.init(room: room, username: nil, role: nil, expiry: pass.expiry, subject: pass.subject)
    }

    /// Checks that the token permits a client to join with an identity and a role.
    ///
    /// - Throws: `RoomTokenRefusal` naming the claim that does not match.
    func admit(_ identity: Identity, _ role: Role) throws(RoomTokenRefusal) {
        guard room == identity.room else { throw .otherRoom }
        guard username ?? identity.username == identity.username else { throw .otherName }
        guard self.role ?? role == role else { throw .otherRole }
    }
}

extension RoomToken {
    /// Verifies a token, and checks that it permits the join request; `pass` checks tokens that are not room tokens.
    static func check(
        _ token: String?,
        for request: JoinRequest,
        with key: TokenKey,
        or pass: RoomPass.Check?
    ) async -> Result<RoomToken, RoomTokenRefusal> {
        guard let token else { return .failure(.missing) }
        let permission: RoomToken
        do throws(TokenRefusal) {
            permission = try await key.verify(token, at: Double(WallClock.seconds))
        } catch {
            guard let pass = await pass?(token) else { return .failure(.invalid(error)) }
            permission = RoomToken(pass, room: request.identity.room)
        }
        do throws(RoomTokenRefusal) {
            try permission.admit(request.identity, request.role)
            return .success(permission)
        } catch {
            return .failure(error)
        }
    }
}

extension TokenKey {
    /// Signs a room token.
    ///
    /// - Throws: `TokenKeyError` if the key is public.
    package func sign(_ token: RoomToken) async throws(TokenKeyError) -> String {
        try await sign(RoomClaims(token))
    }

    /// Verifies and decodes a room token; `time` is the current time in seconds since 1970.
    ///
    /// - Throws: `TokenRefusal`.
    func verify(_ token: String, at time: Double) async throws(TokenRefusal) -> RoomToken {
        guard let token = try await verify(token, as: RoomClaims.self, at: time).token else {
            throw .badClaims
        }
        return token
    }
}

/// The reason for refusing a join because of its token.
enum RoomTokenRefusal: Error, Hashable {
    case missing, otherRoom, otherName, otherRole
    /// The token itself is not valid.
    case invalid(TokenRefusal)

    /// A human-readable reason.
    var reason: String {
        switch self {
        case .missing: "this server requires a room token"
        case .invalid(.badClaims): "the token lacks a valid room, role or expiry time"
        case .invalid(let refusal): refusal.reason
        case .otherRoom: "the token is for another room"
        case .otherName: "the token is for another name"
        case .otherRole: "the token is for the other role"
        }
    }

    /// The name of the claim that caused the refusal; nil if no single claim did.
    var claim: String? {
        switch self {
        case .missing: nil
        case .invalid(let refusal): refusal.claim
        case .otherRoom: "room"
        case .otherName: "name"
        case .otherRole: "role"
        }
    }
}
