import AccountsCore
import Basics
import SoupKit
import Testing

@testable import AccountsServer

@Suite("Signing in", .timeLimit(.minutes(4)))
struct SignInTests {
    private let phone = AccountsRig.phone

    @Test("A new phone is verified and registered, and later signs in with its next code")
    func signIn() async throws {
        try await AccountsRig.run { rig in
            let sent = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
            #expect(sent.status == 201 && sent.json == ["is_success": true])
            let code = try #require(rig.codes[phone])
            let check = try await rig.send(
                "POST",
                "check-auth-code",
                ["phone": .string(phone), "code": .string(code)]
            )
            #expect(check.status == 200 && check["is_user_exists"] == false && check["access_token"] == .null)
            let answer = try await rig.send(
                "POST",
                "register/",
                [
                    "phone": .string(phone), "name": "Ann", "username": "Ann_1",
                    "registration_token": check["registration_token"] ?? .null,
                ]
            )
            #expect(answer.status == 201)
            let tokens = try #require(answer.json.flatMap { AccountTokens($0) })
            #expect(tokens.lifetime == .seconds(600))
            let profile = try await rig.me(tokens).json.flatMap { Profile($0) }
            #expect(profile?.name == "Ann" && profile?.username == "Ann_1" && profile?.phone == phone)
            let again = try await rig.signIn()
            #expect(again?.user == tokens.user && again != tokens)
        }
    }

    @Test("A wrong code and a code for a phone that got none have the same 404 response")
    func wrongCode() async throws {
        try await AccountsRig.run { rig in
            _ = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
            let code = rig.codes[phone] == "000000" ? "000001" : "000000"
            let wrong = try await rig.send(
                "POST",
                "check-auth-code/",
                ["phone": .string(phone), "code": .string(code)]
            )
            let unknown = try await rig.send(
                "POST",
                "check-auth-code/",
                ["phone": "+79210000000", "code": .string(code)]
            )
            #expect(wrong.status == 404 && wrong["detail"]?["message"]?.stringValue != nil)
            #expect(unknown.status == 404 && unknown.body == wrong.body)
        }
    }

    @Test("Known and unknown phones get the same answer to the request for a code")
    func enumeration() async throws {
        try await AccountsRig.run { rig in
            _ = try await rig.register()
            rig.time.advance(31)
            let known = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
            let unknown = try await rig.send("POST", "send-auth-code/", ["phone": "+79210000000"])
            #expect(known.status == 201 && unknown.status == 201 && known.body == unknown.body)
        }
    }

    @Test("A second code within 30 seconds is refused with the time to wait")
    func tooSoon() async throws {
        try await AccountsRig.run { rig in
            _ = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
            rig.time.advance(10)
            let answer = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
            #expect(answer.status == 429 && answer.headers["Retry-After"] == "20")
        }
    }

    @Test("Failure to send a code is answered with 503 and does not count toward the phone's hourly limit")
    func undelivered() async throws {
        try await AccountsRig.run(failsToSend: true) { rig in
            let answer = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
            #expect(answer.status == 503 && answer["detail"] == "the code cannot be sent now")
            for _ in 0..<6 {
                let early = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
                rig.time.advance(30)
                let again = try await rig.send("POST", "send-auth-code/", ["phone": .string(phone)])
                #expect(early.status == 429 && again.status == 503)
            }
        }
    }

    @Test("Registration requires the token from the phone's verification, which expires after ten minutes")
    func foreignPhone() async throws {
        try await AccountsRig.run { rig in
            func register(_ token: String?) async throws -> Int {
                let body: JSON = [
                    "phone": .string(phone), "name": "Eve", "username": "eve",
                    "registration_token": token.map { .string($0) } ?? .null,
                ]
                return try await rig.send("POST", "register/", body).status
            }
            #expect(try await register(nil) == 403)
            let check = try await rig.enterCode()
            #expect(try await register("a guess") == 403)
            rig.time.advance(600)
            #expect(try await register(check["registration_token"]?.stringValue) == 403)
        }
    }

    @Test(
        "On loopback, registration without a token is refused unless the server has a test code"
    )
    func proofByAddress() async throws {
        for hasTestCode in [true, false] {
            try await AccountsRig.run(hasTestCode: hasTestCode) { rig in
                _ = try await rig.enterCode()
                let body: JSON = ["phone": .string(phone), "name": "Eve", "username": "eve"]
                let answer = try await rig.send("POST", "register/", body)
                #expect(answer.status == (hasTestCode ? 201 : 403))
            }
        }
    }

    @Test(
        "A server with a test code refuses requests that a proxy forwards",
        arguments: [
            "X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP",
            "Fly-Client-IP",
        ]
    )
    func forwarded(field: String) async throws {
        for hasTestCode in [true, false] {
            try await AccountsRig.run(hasTestCode: hasTestCode) { rig in
                let body: JSON = ["phone": .string(phone)]
                let answer = try await rig.send("POST", "send-auth-code/", body, field: field)
                #expect(answer.status == (hasTestCode ? 403 : 201))
            }
        }
    }

    @Test("A registration token works once, but an identical request may be repeated")
    func registrationToken() async throws {
        try await AccountsRig.run { rig in
            let check = try await rig.enterCode()
            func register(_ username: String) async throws -> Answer {
                try await rig.send(
                    "POST",
                    "register/",
                    [
                        "phone": .string(phone), "name": "Ann", "username": .string(username),
                        "registration_token": check["registration_token"] ?? .null,
                    ]
                )
            }
            let first = try await register("ann")
            #expect(first.status == 201)
            #expect(try await register("ben").status == 403)
            let again = try await register("ann")
            #expect(again.status == 201)
            let users = [first, again].map { $0.json.flatMap { AccountTokens($0)?.user } }
            #expect(users[0] != nil && users[0] == users[1])
        }
    }

    @Test("Usernames are compared case-insensitively, and the refusal of a taken one names the field")
    func takenUsername() async throws {
        try await AccountsRig.run { rig in
            _ = try await rig.register()
            let check = try await rig.enterCode("+79210000001")
            let answer = try await rig.send(
                "POST",
                "register/",
                [
                    "phone": "+79210000001", "name": "Other", "username": "ANN",
                    "registration_token": check["registration_token"] ?? .null,
                ]
            )
            let failure = AccountFailure(status: answer.status, body: answer.body)
            #expect(failure.reason == .invalid && failure.fields.map(\.field) == ["username"])
        }
    }

    @Test(
        "The refusal of a request names every missing or invalid field",
        arguments: [
            ("register/", ["phone": "123", "name": "", "username": "a b"], ["phone", "username", "name"]),
            ("register/", [:], ["phone", "username", "name"]),
            ("send-auth-code/", ["phone": 79219999999], ["phone"]),
            ("send-auth-code/", ["phone": "+0123456789"], ["phone"]),
            ("check-auth-code/", ["phone": "+79219999999", "code": "12345"], ["code"]),
            ("check-auth-code/", ["phone": "+79219999999", "code": "12345٣"], ["code"]),
            ("refresh-token/", ["token": "x"], ["refresh_token"]),
        ] as [(String, JSON, [String])]
    )
    func invalid(path: String, body: JSON, fields: [String]) async throws {
        try await AccountsRig.run { rig in
            let answer = try await rig.send("POST", path, body)
            let failure = AccountFailure(status: answer.status, body: answer.body)
            #expect(answer.status == 422 && failure.fields.map(\.field) == fields)
            #expect(failure.fields.allSatisfy { !$0.message.isEmpty })
        }
    }

    @Test(
        "Malformed requests, unknown paths and unsupported methods get error responses in the format of the API"
    )
    func malformed() async throws {
        try await AccountsRig.run { rig in
            let array = try await rig.send("POST", "send-auth-code/", [1, 2])
            #expect(array.status == 422 && array["detail"]?.arrayValue?.count == 1)
            let long = try await rig.send(
                "POST",
                "send-auth-code/",
                ["phone": .string(String(repeating: "1", count: 20_000))]
            )
            #expect(long.status == 413 && long["detail"]?.stringValue != nil)
            let unknown = try await rig.send("GET", "nothing/")
            #expect(unknown.status == 404 && unknown["detail"]?["message"]?.stringValue != nil)
            let method = try await rig.send("PATCH", "me/")
            #expect(method.status == 405 && method["detail"]?.stringValue != nil)
            #expect(method.headers["Allow"]?.contains("PUT") == true)
            let body = try await rig.send("GET", "me/", ["a": 1])
            #expect(body.status == 400 && body["detail"]?.stringValue != nil)
        }
    }

    // MARK: Tokens

    @Test("A refresh replaces both tokens; the old access token stays valid until it expires")
    func refresh() async throws {
        try await AccountsRig.run { rig in
            let first = try #require(try await rig.register())
            let answer = try await rig.refresh(first)
            let second = try #require(answer.json.flatMap { AccountTokens($0) })
            #expect(answer.status == 200 && second.user == first.user && second.refresh != first.refresh)
            #expect(try await rig.me(first).status == 200)
            #expect(try await rig.me(second).status == 200)
            rig.time.advance(600)
            #expect(try await rig.me(second).status == 401)
            // The refresh token may also be the Bearer.
            let third = try await rig.send("POST", "refresh-token/", token: second.refresh.value)
            #expect(third.status == 200)
        }
    }

    @Test(
        "A refresh may be repeated if its reply was lost, until an access token of a later refresh is used"
    )
    func lostReply() async throws {
        try await AccountsRig.run { rig in
            let first = try #require(try await rig.register())
            _ = try await rig.me(first)
            _ = try await rig.refresh(first)
            let again = try await rig.refresh(first)
            let second = try #require(again.json.flatMap { AccountTokens($0) })
            #expect(try await rig.me(second).status == 200)
            #expect(try await rig.refresh(first).status == 401)
            // That was not late enough for a theft.
            #expect(try await rig.me(second).status == 200)
        }
    }

    @Test("The late use of a replaced refresh token ends the session for all of its clients")
    func theft() async throws {
        try await AccountsRig.run { rig in
            let first = try #require(try await rig.register())
            let other = try #require(try await rig.signIn())
            let second = try #require(try await rig.refresh(first).json.flatMap { AccountTokens($0) })
            _ = try await rig.me(second)
            rig.time.advance(SessionTable.tolerance + 1)
            #expect(try await rig.refresh(first).status == 401)
            #expect(try await rig.me(second).status == 401)
            #expect(try await rig.refresh(second).status == 401)
            // Other devices stay signed in.
            #expect(try await rig.me(other).status == 200)
        }
    }

    @Test("Refresh, forged and malformed tokens are refused as access tokens", arguments: [true, false])
    func foreignTokens(isGet: Bool) async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let parts = tokens.access.value.split(separator: ".").map(String.init)
            let claims = Base64.encodeURL(
                Array(#"{"sub":"1","exp":9999999999,"typ":"access","sid":"x"}"#.utf8)
            )
            let none = Base64.encodeURL(Array(#"{"alg":"none"}"#.utf8))
            for token in [
                "", "x", tokens.refresh.value, "\(parts[0]).\(claims).\(parts[2])", "\(none).\(claims).",
                "\(parts[0]).\(parts[1]).", String(repeating: "a", count: 5000),
            ] {
                let answer = try await rig.send(isGet ? "GET" : "PUT", "me/", isGet ? nil : [:], token: token)
                #expect(answer.status == 401 && answer["body"] != nil && answer["detail"]?.stringValue != nil)
                #expect(answer.headers["WWW-Authenticate"] == "Bearer")
            }
            let missing = try await rig.send("GET", "check-jwt/")
            #expect(missing.status == 401)
            #expect(try await rig.send("GET", "check-jwt/", token: tokens.access.value).status == 200)
        }
    }
}
