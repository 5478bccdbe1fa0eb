package import Basics

/// The tokens of a session.
package struct AccountTokens: Hashable, Sendable {
    package let access: Secret
    package let refresh: Secret
    package let user: Int

    /// The maximum length of a token in bytes.
    private static let maximumLength = 4096

    package init(access: Secret, refresh: Secret, user: Int) {
        (self.access, self.refresh, self.user) = (access, refresh, user)
    }

    /// Parses the tokens in a server's answer; nil if one is missing, null, or invalid in a header field.
    ///
    /// `user` is the user's ID if the answer does not contain it.
    package init?(_ json: JSON, user: Int? = nil) {
        guard let access = Self.token(json["access_token"]), let refresh = Self.token(json["refresh_token"]),
            let user = json["user_id"]?.intValue ?? user
        else { return nil }
        self.init(access: access, refresh: refresh, user: user)
    }

    static func token(_ json: JSON?) -> Secret? {
        guard let text = json?.stringValue, (1...maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return Secret(text)
    }

    /// The server's answer that contains these tokens.
    package var json: JSON {
        [
            "refresh_token": .string(refresh.value), "access_token": .string(access.value),
            "user_id": .int(user),
        ]
    }

    /// The lifetime of the access token from its claims `iat` and `exp`; nil if it does not state them.
    package var lifetime: Duration? {
        let claims = Self.claims(of: access)
        guard let issued = claims?["iat"]?.doubleValue, let expiry = claims?["exp"]?.doubleValue,
            expiry > issued, expiry - issued < 1e9
        else { return nil }
        return .seconds(expiry - issued)
    }

    /// Returns the expiry time of an access token in seconds since 1970 by the server's clock; nil if the token does
    /// not state it.
    package static func expiry(of access: Secret) -> Double? { claims(of: access)?["exp"]?.doubleValue }

    private static func claims(of access: Secret) -> JSON? {
        let parts = access.value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.decodeURL(parts[1]) else { return nil }
        return try? JSON(parsing: bytes)
    }
}

/// The server's answer to a correct code.
package enum CodeCheck: Hashable, Sendable {
    /// The user exists and is signed in.
    case signedIn(AccountTokens)
    /// No user with this phone is registered; `registration` is the token for the registration, if the server uses one.
    case unknown(registration: Secret?)

    /// Parses the answer to `check-auth-code`; nil if it is invalid.
    package init?(_ json: JSON) {
        switch json["is_user_exists"]?.boolValue {
        case true?:
            guard let tokens = AccountTokens(json) else { return nil }
            self = .signedIn(tokens)
        case false?: self = .unknown(registration: AccountTokens.token(json["registration_token"]))
        case nil: return nil
        }
    }

    /// The JSON answer to `check-auth-code`.
    package var json: JSON {
        switch self {
        case .signedIn(let tokens):
            var answer = tokens.json.objectValue ?? JSONObject()
            answer["is_user_exists"] = true
            return .object(answer)
        case .unknown(let registration):
            return [
                "refresh_token": .null, "access_token": .null, "user_id": .null, "is_user_exists": false,
                "registration_token": registration.map { .string($0.value) } ?? .null,
            ]
        }
    }
}
