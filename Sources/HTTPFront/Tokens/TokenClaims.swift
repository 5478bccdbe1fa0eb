internal import JWTKit

/// The content of a token.
///
/// Decoding must not throw for invalid claims: JWTKit reports that with the same error as a malformed token.
package protocol TokenClaims: Codable, Sendable {
    /// The time of expiry in seconds since 1970; nil if a claim is missing or invalid.
    var expiry: Double? { get }
    /// The time before which the token is not valid, in seconds since 1970; nil if there is none.
    var notBefore: Double? { get }
}

/// Claims as the payload of a JSON Web Token.
struct TokenPayload<Claims: TokenClaims>: JWTPayload {
    let claims: Claims

    init(_ claims: Claims) { self.claims = claims }

    init(from decoder: any Decoder) throws { claims = try Claims(from: decoder) }

    func encode(to encoder: any Encoder) throws { try claims.encode(to: encoder) }

    /// Checks nothing: JWTKit verifies the signature, and `TokenKey` checks the times.
    func verify(using algorithm: some JWTAlgorithm) {}
}

/// The reason for refusing a token, which reveals nothing about the token or the key.
package enum TokenRefusal: Error, Hashable, CaseIterable {
    case malformed, otherAlgorithm, critical, badSignature, expired, notYetValid, badClaims

    /// A human-readable reason.
    package var reason: String {
        switch self {
        case .malformed: "the token is not a JSON Web Token"
        case .otherAlgorithm: "the token's algorithm does not match this server's key"
        case .critical: "the token requires an extension that this server does not support (crit)"
        case .badSignature: "the token was not signed with this server's key"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .badClaims: "a claim of the token is missing or not valid"
        }
    }

    /// The name of the claim that caused the refusal; nil if no single claim did.
    package var claim: String? {
        switch self {
        case .malformed, .otherAlgorithm, .critical, .badSignature, .badClaims: nil
        case .expired: "exp"
        case .notYetValid: "nbf"
        }
    }
}
