internal import JWTKit

/// The key that room tokens are signed with: JSON Web Tokens (RFC 7519) by HS256 or ES256.
package struct TokenKey: Sendable {
    /// In bytes; what is longer is no room token.
    static let maximumTokenLength = 4096
    /// In seconds, how far the clock of whoever made a token may be from ours.
    static let leeway = 30
    /// In bytes, of secrets (RFC 7518 §3.2).
    package static let leastSecretLength = 32

    /// What a key may be used for: a public one only checks.
    package enum Kind: Sendable {
        case secret, privateKey, publicKey
    }

    package let kind: Kind
    // It holds this one key, so that no token can choose another algorithm than the key's own.
    private let keys: JWTKeyCollection

    /// Reads what stands in a key file: PEM of a P-256 key, or else a secret.
    ///
    /// White space at the end of a secret does not belong to it.
    /// - Throws: `TokenKeyError`, also for a key in another form, which is never taken for a secret.
    package init(_ bytes: [UInt8]) async throws(TokenKeyError) {
        keys = JWTKeyCollection()
        // PEM in UTF-16 is PEM.
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
        guard end + 1 >= Self.leastSecretLength else { throw .short(end + 1) }
        kind = .secret
        await keys.add(hmac: HMACKey(from: bytes[...end]), digestAlgorithm: .sha256)
    }

    /// Whether nobody but the server may know it.
    package var isSecret: Bool { kind != .publicKey }

    /// Signs a token.
    ///
    /// - Throws: `TokenKeyError` where it is a public key.
    package func sign(_ token: RoomToken) async throws(TokenKeyError) -> String {
        guard isSecret else { throw .cannotSign }
        do { return try await keys.sign(RoomClaims(token)) } catch { throw .cannotSign }
    }

    /// What a token says that holds at `time`, in seconds since 1970, give or take the leeway.
    ///
    /// - Throws: `TokenRefusal`.
    func verify(_ token: String, at time: Double) async throws(TokenRefusal) -> RoomToken {
        let claims: RoomClaims
        do {
            guard token.utf8.count <= Self.maximumTokenLength else { throw TokenRefusal.malformed }
            try TokenHeader(of: token).check(kind == .secret ? "HS256" : "ES256")
            claims = try await keys.verify(token)
        } catch let error as JWTError where error.errorType == .malformedToken {
            throw .malformed
        } catch let refusal as TokenRefusal {
            throw refusal
        } catch {
            throw .badSignature
        }
        guard let token = claims.token else { throw .badClaims }
        let leeway = Double(Self.leeway)
        guard claims.notBefore ?? time <= time + leeway else { throw .notYetValid }
        guard time - leeway < Double(token.expiry) else { throw .expired }
        return token
    }

    /// The first block of that label (RFC 7468); files of OpenSSL have others in front of it.
    private static func block(_ label: String, of text: String) -> String? {
        guard let start = text.firstRange(of: "-----BEGIN \(label)-----"),
            let end = text[start.upperBound...].firstRange(of: "-----END \(label)-----")
        else { return nil }
        return String(text[start.lowerBound..<end.upperBound])
    }
}

/// Why a file holds no key for room tokens, or not one for what is wanted.
package enum TokenKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    /// A secret of so few bytes that it might be guessed.
    case short(Int)
    /// PEM, but of no P-256 key.
    case notP256
    /// A key in a form that is not read, which as a secret might be known to everybody.
    case foreign(ForeignKey)
    /// It is a public key.
    case cannotSign

    package var description: String {
        switch self {
        case .empty: "the key file is empty"
        case .short(let length):
            """
            the secret has \(length) bytes, HS256 asks for \(TokenKey.leastSecretLength) at least; \
            `openssl rand -hex 32` makes one
            """
        case .notP256: "the key file has no P-256 key; `openssl ecparam -name prime256v1 -genkey` makes one"
        case .foreign(let key): "\(key)"
        case .cannotSign: "a public key checks tokens, but signs none; give the private one"
        }
    }
}
