import CallCore
import SignalingServer
import Testing

@Suite("TURN credentials")
struct TURNCredentialsTests {
    private func credentials(_ secret: String) -> TURNCredentials {
        TURNCredentials(
            urls: ["turn:a", "turns:b"],
            secret: Array(secret.utf8),
            timeToLive: .seconds(86_400)
        )
    }

    @Test(
        "A credential is the Base64 of the username's HMAC-SHA1",
        arguments: [
            // RFC 2202 §3, case 2.
            ("Jefe", "what do ya want for nothing?", "7/zfauXrL6LSdBbV8YTfnCWafHk="),
            // By Python's hmac.
            ("north", "1700086400:Ann", "7StLVTdwN0tnsuYfyK0feEKWE2Q="),
        ]
    )
    func vectors(secret: String, username: String, credential: String) {
        #expect(credentials(secret).credential(for: username) == credential)
    }

    @Test("They hold for a time and name whom they are for")
    func server() {
        let server = credentials("north").iceServer(for: "Ann", at: 1_700_000_000)
        #expect(server.urls == ["turn:a", "turns:b"])
        #expect(server.username == "1700086400:Ann")
        #expect(server.credential == "7StLVTdwN0tnsuYfyK0feEKWE2Q=")
    }

    @Test(
        "Of a name only what nobody rewrites on the way is kept",
        arguments: [("A:n n%/é", "1700086400:Ann"), ("\u{1F600}", "1700086400"), ("²½", "1700086400")]
    )
    func names(name: String, username: String) {
        #expect(credentials("x").iceServer(for: name, at: 1_700_000_000).username == username)
    }
}
