import AccountsCore
import Basics
import ServerStore
import SoupKit
import Testing

@testable import AccountsServer

@Suite("Profiles on the server", .timeLimit(.minutes(4)))
struct ProfileServiceTests {
    private func put(_ rig: AccountsRig, _ tokens: AccountTokens, _ body: JSON) async throws -> Answer {
        try await rig.send("PUT", "me/", body, token: tokens.access.value)
    }

    private func profile(_ rig: AccountsRig, _ tokens: AccountTokens) async throws -> Profile? {
        try await rig.me(tokens).json.flatMap { Profile($0) }
    }

    private func png(width: UInt32 = 64, height: UInt32 = 64) -> [UInt8] {
        func big(_ number: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + big(width)
            + big(height) + [8, 2, 0, 0, 0, 0, 0, 0, 0]
    }

    private func avatar(_ bytes: [UInt8], _ name: String = "me.png") -> JSON {
        ["avatar": ["filename": .string(name), "base_64": .string(Base64.encode(bytes))]]
    }

    @Test("A profile change is stored; absent fields remain, and null or an empty text clears a field")
    func change() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let all: JSON = [
                "name": "  Anna  ", "username": "ann", "birthday": "1990-05-01", "city": "Kyiv", "vk": "v",
                "instagram": "i", "status": "About\nme",
            ]
            let answer = try await put(rig, tokens, all)
            #expect(answer.status == 200 && answer.json == ["avatars": .null])
            var found = try #require(try await profile(rig, tokens))
            #expect(
                found.name == "Anna" && found.birthday == CalendarDay("1990-05-01") && found.city == "Kyiv"
            )
            #expect(found.vk == "v" && found.instagram == "i" && found.about == "About\nme")
            let second = try await put(
                rig,
                tokens,
                ["city": .null, "vk": "", "birthday": .null, "status": "  "]
            )
            #expect(second.status == 200)
            found = try #require(try await profile(rig, tokens))
            #expect(found.name == "Anna" && found.instagram == "i")
            #expect(found.city == nil && found.vk == nil && found.birthday == nil && found.about == nil)
        }
    }

    @Test("The server accepts a profile change in the client's format")
    func clientChange() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let before = try #require(try await profile(rig, tokens))
            var change = ProfileChange()
            change.city = "Zürich"
            change.avatar = .picture(name: "a.png", bytes: png())
            let answer = try await put(rig, tokens, change.json(changing: before))
            #expect(Profile.Avatars(changeAnswer: answer.body)?.normal?.hasPrefix("media/avatars/") == true)
            let after = try #require(try await profile(rig, tokens))
            #expect(after.city == "Zürich" && after.name == before.name && after.avatars.normal != nil)
        }
    }

    @Test(
        "An invalid value is refused, the refusal names the field, and the profile remains unchanged",
        arguments: [
            ("name", .null), ("name", ""), ("name", .string(String(repeating: "a", count: 65))),
            ("name", "a\u{202E}b"),
            ("username", "eve"), ("username", .null), ("birthday", "1899-12-31"), ("birthday", "2026-02-30"),
            ("birthday", "2999-01-01"), ("birthday", 5), ("city", .string(String(repeating: "a", count: 65))),
            ("city", "a\nb"), ("status", .string(String(repeating: "a", count: 1001))),
            ("vk", .string(String(repeating: "a", count: 257))), ("instagram", ["x"]),
            ("avatar", "text"), ("avatar", 5), ("avatar", []), ("avatar", ["filename": "x"]),
            ("avatar", ["base_64": "%%%"]),
            ("avatar", ["base_64": "R0lGODlhAQABAAAAACw="]),
        ] as [(String, JSON)]
    )
    func limits(field: String, value: JSON) async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let answer = try await put(
                rig,
                tokens,
                .object(JSONObject([(field, value), ("vk", "kept?")].reversed()))
            )
            let failure = AccountFailure(status: answer.status, body: answer.body)
            #expect(answer.status == 422 && failure.fields.map(\.field) == [field])
            if field != "vk" { #expect(try await profile(rig, tokens)?.vk == nil) }
        }
    }

    @Test("A text of the maximum length is stored")
    func longest() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let body: JSON = [
                "name": .string(String(repeating: "é", count: 64)),
                "status": .string(String(repeating: "я", count: 1000)),
            ]
            #expect(try await put(rig, tokens, body).status == 200)
            #expect(try await profile(rig, tokens)?.about?.count == 1000)
        }
    }

    // MARK: Pictures

    @Test("A picture is stored unchanged, served only to signed-in users, and replaced under a new URL")
    func picture() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let bytes = png()
            _ = try await put(rig, tokens, avatar(bytes, "../../etc/passwd\u{0}\n"))
            let first = try #require(try await profile(rig, tokens)?.avatars.normal)
            let image = try await rig.send("GET", "/\(first)", token: tokens.access.value)
            #expect(image.status == 200 && image.body == bytes)
            #expect(image.headers["Content-Type"] == "image/png")
            #expect(image.headers["X-Content-Type-Options"] == "nosniff")
            #expect(try await rig.send("GET", "/\(first)").status == 401)
            _ = try await put(rig, tokens, avatar(png(width: 65)))
            let second = try #require(try await profile(rig, tokens)?.avatars.normal)
            #expect(second != first)
            #expect(try await rig.send("GET", "/\(first)", token: tokens.access.value).status == 404)
            _ = try await put(rig, tokens, ["avatar": ["filename": "", "base_64": ""]])
            #expect(try await profile(rig, tokens)?.avatars == Profile.Avatars())
            for empty in [JSON.null, ""] {
                _ = try await put(rig, tokens, avatar(bytes))
                _ = try await put(rig, tokens, ["avatar": empty])
                #expect(try await profile(rig, tokens)?.avatars == Profile.Avatars())
            }
            #expect(try await rig.send("GET", "/\(second)", token: tokens.access.value).status == 404)
        }
    }

    @Test("A picture whose header states more than 4096 pixels a side is refused")
    func bomb() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let bomb = png(width: 30_000, height: 30_000) + [UInt8](repeating: 0, count: 4_900_000)
            let answer = try await put(rig, tokens, avatar(bomb))
            #expect(answer.status == 422)
            #expect(try await put(rig, tokens, avatar(png(width: 4096, height: 4096))).status == 200)
        }
    }

    @Test("A picture of more than five million bytes is refused with 413, and so is an overlong body")
    func largePicture() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let largest = png() + [UInt8](repeating: 0, count: 5_000_000 - png().count)
            #expect(try await put(rig, tokens, avatar(largest)).status == 200)
            #expect(try await put(rig, tokens, avatar(largest + [0])).status == 413)
            let body: JSON = ["status": .string(String(repeating: "a", count: 8_000_000))]
            #expect(try await put(rig, tokens, body).status == 413)
        }
    }

    // MARK: Sessions

    @Test("A device can list the sessions of all devices and end another session")
    func sessions() async throws {
        try await AccountsRig.run { rig in
            let first = try #require(try await rig.register())
            rig.time.advance(100)
            let second = try #require(try await rig.signIn())
            let list = try await rig.send("GET", "sessions/", token: second.access.value)
            let sessions = try #require(list["sessions"]?.arrayValue)
            #expect(sessions.map { $0["current"] } == [true, false])
            #expect(sessions.allSatisfy { $0["device"] == "a test" })
            let id = try #require(sessions.last?["id"]?.stringValue)
            let ended = try await rig.send("DELETE", "sessions/\(id)/", token: second.access.value)
            #expect(ended.status == 204 && ended.body.isEmpty)
            #expect(try await rig.me(first).status == 401)
            #expect(try await rig.refresh(first).status == 401)
            #expect(try await rig.me(second).status == 200)
            let again = try await rig.send("DELETE", "sessions/\(id)/", token: second.access.value)
            #expect(again.status == 404)
        }
    }

    @Test("A user cannot end the session of another user")
    func foreignSession() async throws {
        try await AccountsRig.run { rig in
            let ann = try #require(try await rig.register())
            let ben = try #require(try await rig.register("+79210000001", username: "ben"))
            let list = try await rig.send("GET", "sessions/", token: ann.access.value)
            let id = try #require(list["sessions"]?.arrayValue?.first?["id"]?.stringValue)
            #expect(try await rig.send("DELETE", "sessions/\(id)/", token: ben.access.value).status == 404)
            #expect(try await rig.me(ann).status == 200)
        }
    }

    // MARK: The end of an account

    @Test("Deleting an account requires a new code, removes all of its data, and frees its username")
    func deletion() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            _ = try await put(rig, tokens, avatar(png()))
            let token = tokens.access.value
            #expect(try await rig.send("DELETE", "me/", ["code": "000000"], token: token).status == 403)
            rig.time.advance(31)
            _ = try await rig.send("POST", "send-auth-code/", ["phone": .string(AccountsRig.phone)])
            let code = try #require(rig.codes[AccountsRig.phone])
            #expect(try await rig.send("DELETE", "me/", ["code": .string(code)], token: token).status == 204)
            #expect(try await rig.me(tokens).status == 401)
            let left = try await rig.database.read { database in
                try ["account_user", "account_session", "account_token", "account_avatar"].map { table in
                    try database.count(table)
                }
            }
            #expect(left == [0, 0, 0, 0])
            rig.time.advance(31)
            #expect(try await rig.register() != nil)
        }
    }

    @Test("An export contains the profile, the picture and the sessions")
    func export() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            _ = try await put(rig, tokens, avatar(png()))
            let export = try await rig.send("GET", "me/export/", token: tokens.access.value)
            #expect(export.status == 200 && export["profile_data"]?["username"] == "ann")
            #expect(export["avatar"]?["base_64"]?.stringValue == Base64.encode(png()))
            #expect(export["sessions"]?.arrayValue?.count == 1)
            #expect(export.headers["Content-Disposition"]?.hasPrefix("attachment") == true)
        }
    }

    /// Data of another service about the only user, which cannot be read to its end if `isBroken`.
    private struct Notes: ExportPart {
        struct Broken: Error {}

        let name: String
        var isBroken = false

        @concurrent func write(about user: Int, _ write: @concurrent ([UInt8]) async throws -> Void)
            async throws
        {
            try await write(Array("[\(user),\"".utf8))
            try await write([UInt8](repeating: UInt8(ascii: "x"), count: 300_000))
            if isBroken { throw Broken() }
            try await write(Array("\"]".utf8))
        }
    }

    @Test("An export contains the data of other services")
    func exportedParts() async throws {
        try await AccountsRig.run(exporting: [Notes(name: "notes"), Notes(name: "more")]) { rig in
            let tokens = try #require(try await rig.register())
            let export = try await rig.send("GET", "me/export/", token: tokens.access.value)
            #expect(export["profile_data"]?["username"] == "ann")
            let notes: JSON = [.int(tokens.user), .string(String(repeating: "x", count: 300_000))]
            #expect(export["notes"] == notes && export["more"] == notes)
            #expect(export["complete"] == true)
        }
    }

    @Test("An export lacks its last member if the data of a service cannot be read to its end")
    func brokenExport() async throws {
        try await AccountsRig.run(exporting: [Notes(name: "notes", isBroken: true)]) { rig in
            let tokens = try #require(try await rig.register())
            let text = try await export(rig, tokens)
            #expect(text?.contains("\"notes\":[\(tokens.user),\"xxx") != false)
            #expect(text?.contains(ExportEnd.text) != true)
        }
    }

    /// Returns the received part of an export; nil if the client has noticed that the response has no end.
    private func export(_ rig: AccountsRig, _ tokens: AccountTokens) async throws -> String? {
        do {
            let answer = try await rig.send("GET", "me/export/", token: tokens.access.value)
            return String(decoding: answer.body, as: UTF8.self)
        } catch HTTPFailure.broken {
            return nil
        }
    }

    /// Data of another service whose second part is written when the test permits it.
    private struct Gated: ExportPart {
        let name = "notes"
        let begun = AsyncStream.makeStream(of: Never.self)
        let gate = AsyncStream.makeStream(of: Never.self)

        @concurrent func write(about user: Int, _ write: @concurrent ([UInt8]) async throws -> Void)
            async throws
        {
            try await write(Array("[1".utf8))
            begun.continuation.finish()
            for await _ in gate.stream {}
            try await write(Array(",2]".utf8))
        }
    }

    @Test("An export breaks off if the user's session ends")
    func endedSession() async throws {
        let notes = Gated()
        try await AccountsRig.run(exporting: [notes]) { rig in
            let tokens = try #require(try await rig.register())
            async let exported = export(rig, tokens)
            for await _ in notes.begun.stream {}
            let sessions = try await rig.send("GET", "sessions/", token: tokens.access.value)["sessions"]
            let id = try #require(sessions?.arrayValue?.first?["id"]?.stringValue)
            #expect(try await rig.send("DELETE", "sessions/\(id)/", token: tokens.access.value).status == 204)
            rig.time.advance(11)
            notes.gate.continuation.finish()
            let text = try await exported
            #expect(text?.contains(",2]") != true)
        }
    }

    @Test("A change with more than a thousand values is refused")
    func manyValues() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let refused = try await put(rig, tokens, ["x": .array([JSON](repeating: 1, count: 1000))])
            #expect(refused.status == 422)
            let accepted = try await put(rig, tokens, ["x": .array([JSON](repeating: 1, count: 900))])
            #expect(accepted.status == 200)
        }
    }

    @Test("Texts that look like SQL are stored as texts")
    func statements() async throws {
        try await AccountsRig.run { rig in
            let tokens = try #require(try await rig.register())
            let text = "'); DROP TABLE account_user; --"
            #expect(try await put(rig, tokens, ["city": .string(text)]).status == 200)
            #expect(try await profile(rig, tokens)?.city == text)
            let foreign = try await rig.send("DELETE", "sessions/'%20OR%201=1--/", token: tokens.access.value)
            #expect(foreign.status == 404)
            #expect(try await rig.me(tokens).status == 200)
        }
    }

    @Test("The OpenAPI description lists the methods of a path, and the documentation page allows no scripts")
    func description() async throws {
        try await AccountsRig.run { rig in
            let answer = try await rig.send("GET", "/openapi.json")
            #expect(answer.status == 200 && answer["openapi"] == "3.1.0")
            let paths = try #require(answer["paths"]?.objectValue)
            #expect(paths["/api/v1/users/me/"]?.objectValue?.map(\.key) == ["get", "put", "delete"])
            let page = try await rig.send("GET", "/docs")
            #expect(
                page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("refresh-token")
            )
            #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        }
    }
}
