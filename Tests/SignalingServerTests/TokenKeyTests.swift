import CallCore
import HTTPFront
import Testing

@testable import SignalingServer

@Suite("Room token keys", .timeLimit(.minutes(4)))
struct TokenKeyTests {
    private static let time = 1_700_000_000

    private func key(_ text: String) async throws -> TokenKey { try await TokenKey(Array(text.utf8)) }

    private func token(name: String? = "Ann", role: Role? = .caller, expiry: Int = time + 1) throws
        -> RoomToken
    {
        RoomToken(
            room: try RoomID(7),
            username: try name.map { try Username($0) },
            role: role,
            expiry: expiry
        )
    }

    /// Composes a token with this header and payload, correctly signed with the secret.
    private func compose(_ header: String, _ payload: String, secret: String = SampleKeys.secret) -> String {
        JWTText.compose(header: header, payload: payload, secret: secret)
    }

    @Test(
        "A token is accepted by the key that signed it and by the matching public key",
        arguments: [
            (SampleKeys.secret, SampleKeys.secret), (SampleKeys.secret, SampleKeys.secret + "\r\n \n"),
            (SampleKeys.privateKey, SampleKeys.privateKey), (SampleKeys.privateKey, SampleKeys.publicKey),
            (SampleKeys.otherPrivateKey, SampleKeys.privateKey),
        ]
    )
    func roundTrip(signer: String, verifier: String) async throws {
        for token in [try token(), try token(name: nil, role: nil), try token(name: "Zoë :/")] {
            let text = try await key(signer).sign(token)
            #expect(try await key(verifier).verify(text, at: Double(Self.time)) == token)
        }
    }

    @Test("Tokens that other programs signed with the secret are accepted, even if the room is a string")
    func foreign() async throws {
        let key = try await key(SampleKeys.secret)
        #expect(try await key.verify(SampleKeys.token, at: 0) == token(expiry: 4_102_444_800))
        let text = compose(
            #"{"alg":"HS256","kid":"x"}"#,
            #"{"room":"7","exp":1700000000.5,"nbf":5,"iss":[]}"#
        )
        let read = try await key.verify(text, at: Double(Self.time))
        #expect(read == (try token(name: nil, role: nil)))
    }

    @Test(
        "A token signed with another key is refused, even with a public key used as the secret",
        arguments: [
            (SampleKeys.secret, "x" + SampleKeys.secret, TokenRefusal.badSignature),
            (SampleKeys.secret, SampleKeys.publicKey, .otherAlgorithm),
            (SampleKeys.privateKey, SampleKeys.secret, .otherAlgorithm),
            (SampleKeys.publicKey, SampleKeys.publicKey, .otherAlgorithm),
        ]
    )
    func otherKey(signer: String, verifier: String, refusal: TokenRefusal) async throws {
        let key = try await key(verifier)
        let text =
            signer == SampleKeys.privateKey
            ? try await self.key(signer).sign(try token())
            : compose(#"{"alg":"HS256"}"#, #"{"room":7,"exp":4102444800}"#, secret: signer)
        await #expect(throws: refusal) { try await key.verify(text, at: 0) }
    }

    @Test(
        "A correctly signed token whose header names another algorithm is refused",
        arguments: [
            #"{"alg":"HS512"}"#, #"{"alg":"ES256"}"#, #"{"alg":"hs256"}"#, #"{"alg":"none"}"#,
            #"{"alg":null}"#,
            #"{"alg":["HS256"]}"#, #"{"typ":"JWT"}"#, "{}",
        ]
    )
    func otherAlgorithm(header: String) async throws {
        let key = try await key(SampleKeys.secret)
        let text = compose(header, #"{"room":7,"exp":4102444800}"#)
        await #expect(throws: TokenRefusal.otherAlgorithm) { try await key.verify(text, at: 0) }
    }

    @Test(
        "A token with critical extensions is refused",
        arguments: [#"["b64"]"#, "[]", "null", #"["exp"]"#]
    )
    func critical(value: String) async throws {
        let key = try await key(SampleKeys.secret)
        let text = compose(#"{"alg":"HS256","crit":\#(value)}"#, #"{"room":7,"exp":4102444800}"#)
        await #expect(throws: TokenRefusal.critical) { try await key.verify(text, at: 0) }
    }

    @Test(
        "A malformed token is refused",
        arguments: [
            "", ".", "..", "a.b", "a.b.c", "a.b.c.d", "\0", "é.é.é", "e30.e30.", "bnVsbA.bnVsbA.",
            String(repeating: "e30.", count: 2), String(repeating: "x", count: 5000),
            String(repeating: "W", count: 4000) + "..",
        ]
    )
    func malformed(text: String) async throws {
        let key = try await key(SampleKeys.secret)
        let refusal = await #expect(throws: TokenRefusal.self) { try await key.verify(text, at: 0) }
        #expect(refusal == .malformed || refusal == .otherAlgorithm)
    }

    @Test("An unsigned token is refused")
    func unsigned() async throws {
        let key = try await key(SampleKeys.secret)
        let text = compose(#"{"alg":"none"}"#, #"{"room":7,"exp":4102444800}"#)
        let unsigned = text.prefix(through: text.lastIndex(of: ".") ?? text.startIndex)
        await #expect(throws: TokenRefusal.otherAlgorithm) { try await key.verify(String(unsigned), at: 0) }
    }

    @Test(
        "Missing and invalid claims are refused",
        arguments: [
            "{}", #"{"exp":9}"#, #"{"room":7}"#, #"{"room":0,"exp":9}"#, #"{"room":7.5,"exp":9}"#,
            #"{"room":"x","exp":9}"#, #"{"room":7,"exp":"9"}"#, #"{"room":7,"exp":1e300}"#,
            #"{"room":7,"exp":9,"role":"boss"}"#, #"{"room":7,"exp":9,"role":1}"#,
            #"{"room":7,"exp":9,"name":""}"#, #"{"room":7,"exp":9,"name":[]}"#,
            #"{"room":7,"exp":9,"nbf":"x"}"#,
        ]
    )
    func badClaims(payload: String) async throws {
        let key = try await key(SampleKeys.secret)
        let text = compose(#"{"alg":"HS256"}"#, payload)
        await #expect(throws: TokenRefusal.badClaims) { try await key.verify(text, at: 0) }
    }

    @Test("A token is valid from nbf to exp, with a leeway of 30 seconds")
    func times() async throws {
        let key = try await key(SampleKeys.secret)
        let text = compose(#"{"alg":"HS256"}"#, #"{"room":7,"exp":200,"nbf":100}"#)
        await #expect(throws: TokenRefusal.notYetValid) { try await key.verify(text, at: 69.9) }
        _ = try await key.verify(text, at: 70)
        _ = try await key.verify(text, at: 229.9)
        await #expect(throws: TokenRefusal.expired) { try await key.verify(text, at: 230) }
    }

    @Test(
        "Text without a usable key is refused with the reason",
        arguments: [
            ("", TokenKeyError.empty), (" \r\n\n", .empty), ("secret\n", .short(6)),
            (String(repeating: "x", count: 31), .short(31)), ("-----BEGIN RSA PRIVATE KEY-----\n", .notP256),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", .notP256),
            ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .notP256),
        ]
    )
    func badKeys(text: String, error: TokenKeyError) async {
        await #expect(throws: error) { try await key(text) }
    }

    @Test("A public key cannot sign and is not a secret")
    func kinds() async throws {
        let publicKey = try await key(SampleKeys.publicKey)
        #expect(!publicKey.isSecret)
        await #expect(throws: TokenKeyError.cannotSign) { try await publicKey.sign(token()) }
        #expect(try await key(SampleKeys.privateKey).isSecret)
        #expect(try await key(SampleKeys.secret).isSecret)
    }
}
