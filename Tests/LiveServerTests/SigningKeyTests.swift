import FoundationEssentials
import HTTPFront
import JWTKit
import ServerStore
import Testing

@testable import LiveServer

@Suite("Playback tokens")
struct SigningKeyTests {
    private static let now = 1_700_000_000.0
    private static let hour = now + 3600

    private func withKeys(_ body: (SigningKeys, ServerDatabase) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            component: "signing-\(UInt64.random(in: 0 ... .max))"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try await ServerDatabase.open(ServerFolder(folder.path()), LiveSchema.migrations)
        try await body(SigningKeys(database), database)
    }

    /// A playback token as Mux's documentation describes it.
    private struct Token: JWTPayload {
        var sub = "ID"
        var aud = "v"
        var exp: Double? = SigningKeyTests.hour
        /// The time before which the token is not valid; a text is no time.
        var nbf: String?
        /// The ID of the key, which stands here or in the header.
        var kid: String?

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private func sign(_ token: Token, _ key: SigningKeys.NewKey, kid: String? = nil) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(rsa: try Insecure.RSA.PrivateKey(pem: key.privateKey), digestAlgorithm: .sha256)
        return try await keys.sign(token, header: kid.map { ["kid": .string($0)] } ?? [:])
    }

    private func admits(_ keys: SigningKeys, _ token: String?, at time: Double = now) async -> Bool {
        (try? await keys.admit(token, to: "ID", .signed, at: time)) == token && token != nil
    }

    @Test("A signed playback ID is played with a token of a key of the server, until the token expires")
    func admitted() async throws {
        try await withKeys { keys, database in
            let key = try await keys.create()
            let tokens = [
                try await sign(Token(kid: key.record.id), key),
                try await sign(Token(), key, kid: key.record.id),
            ]
            // Keys are read again when the server starts, and a token is verified once.
            for keys in [keys, try await SigningKeys(database)] {
                for token in tokens + tokens {
                    #expect(await admits(keys, token))
                    #expect(await !admits(keys, token, at: Self.hour + 1))
                }
            }
            #expect(try await keys.admit(nil, to: "ID", .everybody) == nil)
        }
    }

    @Test("A token for something else, without an expiry, of another key or changed admits nobody")
    func refused() async throws {
        try await withKeys { keys, _ in
            let (key, other) = (try await keys.create(), try await keys.create())
            let id = key.record.id
            let tokens = [
                try await sign(Token(sub: "OTHER", kid: id), key),
                try await sign(Token(sub: "", kid: id), key),
                try await sign(Token(aud: "t", kid: id), key), try await sign(Token(exp: nil, kid: id), key),
                try await sign(Token(exp: Self.now - 1, kid: id), key),
                try await sign(Token(nbf: "\(Int(Self.now))", kid: id), key),
                try await sign(Token(kid: id), other),
                try await sign(Token(kid: "unknown"), key), try await sign(Token(), key),
                try await sign(Token(kid: id), key) + "A", "", "a.b.c", String(repeating: "x", count: 10_000),
            ]
            for token in tokens + tokens { #expect(await !admits(keys, token), "\(token)") }
            #expect(await !admits(keys, nil))
        }
    }

    @Test("The tokens of a deleted key admit nobody any more, also those that were used before")
    func deleted() async throws {
        try await withKeys { keys, database in
            let key = try await keys.create()
            let token = try await sign(Token(kid: key.record.id), key)
            #expect(await admits(keys, token))
            try await keys.delete(key.record.id)
            #expect(await !admits(keys, token))
            #expect(try await SigningKeys(database).records.isEmpty)
            await #expect(throws: LiveRefusal.noSigningKey) { try await keys.delete(key.record.id) }
        }
    }

    @Test("The addresses of a signed playlist have the token, and nothing else changes")
    func playlist() {
        let text =
            "#EXTM3U\n#EXT-X-MAP:URI=\"ID/0.mp4\",BYTERANGE=\"9@0\"\n#EXTINF:1.000,\nID/0.mp4\nID/7.ts\n"
        #expect(
            SignedPlaylist.text(text, "T.T")
                == "#EXTM3U\n#EXT-X-MAP:URI=\"ID/0.mp4?token=T.T\",BYTERANGE=\"9@0\"\n#EXTINF:1.000,\nID/0.mp4?token=T.T\nID/7.ts?token=T.T\n"
        )
    }
}
