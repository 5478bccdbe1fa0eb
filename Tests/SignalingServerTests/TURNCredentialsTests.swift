import Basics
import CallCore
import Testing

@testable import SignalingServer

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
            // Computed with Python's hmac.
            ("north", "1700086400:Ann", "7StLVTdwN0tnsuYfyK0feEKWE2Q="),
        ]
    )
    func vectors(secret: String, username: String, credential: String) {
        #expect(credentials(secret).credential(for: username) == credential)
    }

    @Test("The username of TURN credentials contains their expiry time and the user's name")
    func server() {
        let server = credentials("north").iceServer(for: "Ann", at: 1_700_000_000)
        #expect(server.urls == ["turn:a", "turns:b"])
        #expect(server.username == "1700086400:Ann")
        #expect(server.credential == "7StLVTdwN0tnsuYfyK0feEKWE2Q=")
    }

    @Test(
        "Credentials expire with the user's token, but last at least 30 s and at most a day",
        arguments: [
            (nil, 86_400), (1000 + 86_401, 86_400), (1000 + 3600, 3600), (1000 + 5, 30), (0, 30), (.min, 30),
            (.max, 86_400),
        ] as [(Int?, Int)]
    )
    func expiry(token: Int?, seconds: Int) {
        let left = credentials("north").timeToLive(until: token, at: 1000)
        #expect(left == .seconds(seconds))
        let server = credentials("north").iceServer(for: "", at: 1000, timeToLive: left)
        #expect(server.username == "\(1000 + seconds)")
    }

    @Test(
        "The name in the TURN username keeps only ASCII letters and digits",
        arguments: [("A:n n%/é", "1700086400:Ann"), ("\u{1F600}", "1700086400"), ("²½", "1700086400")]
    )
    func names(name: String, username: String) {
        #expect(credentials("x").iceServer(for: name, at: 1_700_000_000).username == username)
    }
}
