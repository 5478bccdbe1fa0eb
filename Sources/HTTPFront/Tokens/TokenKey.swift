internal import Basics
internal import JWTKit

/// A key for signing or verifying JSON Web Tokens (RFC 7519) with HS256, ES256 or RS256.
package struct TokenKey: Sendable {
    /// The maximum length of a token in bytes.
    static let maximumTokenLength = 4096
    /// The tolerated difference in seconds between the clocks of this server and of the token's issuer.
    package static let leeway = 30
    /// The minimum length of a secret in bytes (RFC 7518 §3.2).
    fileprivate static let minimumSecretLength = 32

    /// The kind of a key; a public key can verify tokens but not sign them.
    package enum Kind: Sendable {
        case secret, privateKey, publicKey
    }

    package let kind: Kind
    private let isRSA: Bool
    // The collection holds only this key, so that a token cannot choose another algorithm.
    private let keys: JWTKeyCollection

    /// Reads a key file: a P-256 key in PEM, or else a secret.
    ///
    /// White space at the end of a secret is ignored.
    /// - Throws: `TokenKeyError`, also for a key in another format, which is never used as a secret.
    package init(_ bytes: [UInt8]) async throws(TokenKeyError) {
        (keys, isRSA) = (JWTKeyCollection(), false)
        // Without its zero bytes, ASCII text in UTF-16 becomes plain ASCII, in which PEM is recognized.
        let text = String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
        do {
            if let pem = Self.block("EC PRIVATE KEY", of: text) ?? Self.block("PRIVATE KEY", of: text) {
                kind = .privateKey
                await keys.add(ecdsa: try ES256PrivateKey(pem: pem))
                return
            } else if let pem = Self.block("PUBLIC KEY", of: text) {
                kind = .publicKey
                await keys.add(ecdsa: try ES256PublicKey(pem: pem))
                return
            }
        } catch {
            throw .notP256
        }
        guard !text.contains("-----BEGIN ") else { throw .notP256 }
        if let key = ForeignKey(in: bytes) { throw .foreign(key) }
        let end = bytes.lastIndex { ![9, 10, 13, 32].contains($0) }
        guard let end else { throw .empty }
        guard end + 1 >= Self.minimumSecretLength else { throw .short(end + 1) }
        kind = .secret
        await keys.add(hmac: HMACKey(from: bytes[...end]), digestAlgorithm: .sha256)
    }

    /// Reads an RSA public key in PEM, which verifies tokens of RS256.
    ///
    /// - Throws: `TokenKeyError.notRSA`.
    package init(rsa pem: String) async throws(TokenKeyError) {
        (keys, kind, isRSA) = (JWTKeyCollection(), .publicKey, true)
        guard let key = try? Insecure.RSA.PublicKey(pem: pem) else { throw .notRSA }
        await keys.add(rsa: key, digestAlgorithm: .sha256)
    }

    /// Returns the ID of the key that has signed a token, from its header or its claims, which are not verified; nil
    /// without one.
    package static func id(of token: String) -> String? {
        guard token.utf8.count <= maximumTokenLength else { return nil }
        return token.split(separator: ".", omittingEmptySubsequences: false).prefix(2).lazy
            .compactMap { ForeignKey.base64($0) }
            .compactMap { (try? JSON(parsing: $0))?["kid"]?.stringValue }
            .first
    }

    /// The algorithm of the tokens; they cannot choose another one.
    private var algorithm: String { isRSA ? "RS256" : kind == .secret ? "HS256" : "ES256" }

    /// Whether the key can sign tokens and must therefore be kept secret.
    package var isSecret: Bool { kind != .publicKey }

    /// Signs a token.
    ///
    /// - Throws: `TokenKeyError` if the key is public.
    package func sign(_ claims: some TokenClaims) async throws(TokenKeyError) -> String {
        guard isSecret else { throw .cannotSign }
        do { return try await keys.sign(TokenPayload(claims)) } catch { throw .cannotSign }
    }

    /// Verifies and decodes a token; `time` is the current time in seconds since 1970.
    ///
    /// The times in the token are checked with a tolerance of `leeway` seconds.
    /// - Throws: `TokenRefusal`.
    package func verify<Claims: TokenClaims>(
        _ token: String,
        as type: Claims.Type,
        at time: Double,
        leeway: Int = Self.leeway
    ) async throws(TokenRefusal) -> Claims {
        let claims: Claims
        do {
            guard token.utf8.count <= Self.maximumTokenLength else { throw TokenRefusal.malformed }
            try TokenHeader(of: token).check(algorithm)
            claims = try await keys.verify(token, as: TokenPayload<Claims>.self).claims
        } catch let error as JWTError where error.errorType == .malformedToken {
            throw .malformed
        } catch let refusal as TokenRefusal {
            throw refusal
        } catch {
            throw .badSignature
        }
        guard let expiry = claims.expiry else { throw .badClaims }
        let leeway = Double(leeway)
        guard claims.notBefore ?? time <= time + leeway else { throw .notYetValid }
        guard time - leeway < expiry else { throw .expired }
        return claims
    }

    /// Finds the first PEM block with the given label (RFC 7468); files of OpenSSL may contain other blocks
    /// before it.
    private static func block(_ label: String, of text: String) -> String? {
        guard let start = text.firstRange(of: "-----BEGIN \(label)-----"),
            let end = text[start.upperBound...].firstRange(of: "-----END \(label)-----")
        else { return nil }
        return String(text[start.lowerBound..<end.upperBound])
    }
}

/// An error for a file without a usable key for tokens.
package enum TokenKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    /// A secret that is short enough to be guessed; the value is its length in bytes.
    case short(Int)
    /// PEM without a P-256 key.
    case notP256
    /// PEM without an RSA public key.
    case notRSA
    /// A key in an unsupported format, which is not used as a secret because it might be public.
    case foreign(ForeignKey)
    /// A public key, which cannot sign.
    case cannotSign

    package var description: String {
        switch self {
        case .empty: "the key file is empty"
        case .short(let length):
            """
            the secret has \(length) bytes, and HS256 needs at least \(TokenKey.minimumSecretLength); \
            `openssl rand -hex 32` makes one
            """
        case .notP256:
            "the key file contains no P-256 key; `openssl ecparam -name prime256v1 -genkey` makes one"
        case .notRSA: "the text contains no RSA public key"
        case .foreign(let key): "\(key)"
        case .cannotSign: "a public key verifies tokens but cannot sign them"
        }
    }
}
