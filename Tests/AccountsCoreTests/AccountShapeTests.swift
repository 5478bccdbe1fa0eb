import AccountsCore
import Basics
import Testing

@Suite("JSON of the accounts API")
struct AccountShapeTests {
    private func parsed(_ text: String) throws -> JSON { try JSON(parsing: text) }

    @Test("All fields of a profile are parsed, and serializing the profile returns the same JSON")
    func profile() throws {
        let text = #"""
            {"profile_data":{"name":"Ann","username":"ann","birthday":"1990-05-01","city":"Київ","vk":"v","instagram":"i",\
            "status":"about me","avatar":"media/1.jpg","id":7,"last":"2026-01-31T12:00:00.000Z","online":true,\
            "created":"2026-01-30T12:00:00.000Z","phone":"+79219999999","completed_task":3,\
            "avatars":{"avatar":"media/1.jpg","bigAvatar":"media/b.jpg","miniAvatar":"media/s.jpg"}}}
            """#.replacing("\\\n", with: "")
        let json = try parsed(text)
        let profile = try #require(Profile(json))
        #expect(profile.id == 7 && profile.phone == "+79219999999" && profile.city == "Київ")
        #expect(profile.zodiacSign == .taurus && profile.about == "about me" && profile.isOnline)
        #expect(profile.avatars.big == "media/b.jpg" && profile.completedTasks == 3)
        #expect(profile.json == json)
    }

    @Test("Optional profile fields may be null or missing; a profile without a required field is rejected")
    func sparseProfile() throws {
        let text = #"""
            {"profile_data":{"name":"Ann","username":"ann","birthday":null,"city":"","avatar":"a.jpg","avatars":null,\
            "id":7,"phone":"+7","last":5,"created":"yesterday"}}
            """#.replacing("\\\n", with: "")
        let profile = try #require(Profile(try parsed(text)))
        #expect(profile.birthday == nil && profile.city == nil && !profile.isOnline && profile.created == nil)
        #expect(profile.avatars == Profile.Avatars(normal: "a.jpg"))
        for text in ["{}", "[]", #"{"profile_data":{"name":"Ann"}}"#, #"{"profile_data":{"id":"7"}}"#] {
            #expect(Profile(try parsed(text)) == nil)
        }
    }

    @Test("Long texts of a parsed profile are truncated, and overlong picture paths are dropped")
    func endlessProfile() throws {
        let fields = ["name", "username", "phone", "city", "vk", "instagram", "status"]
        // The second character is of two bytes, and the third of any number of them.
        for letter in ["a", "ї", "e" + String(repeating: "\u{301}", count: 1000)] {
            let text = String(repeating: letter, count: 100_000 / letter.utf8.count)
            let avatars: JSON = ["avatar": .string(text), "bigAvatar": "b.jpg"]
            var data = JSONObject(fields.map { ($0, JSON.string(text)) })
            (data["id"], data["avatar"], data["avatars"]) = (JSON.int(7), JSON.string(text), avatars)
            let profile = try #require(Profile(["profile_data": .object(data)]))
            #expect(profile.avatars == Profile.Avatars(big: "b.jpg"))
            for (value, most) in [
                (profile.name, 64), (profile.username, 32), (profile.phone, 32), (profile.city ?? "", 64),
                (profile.vk ?? "", 256), (profile.instagram ?? "", 256), (profile.about ?? "", 1000),
            ] {
                #expect(!value.isEmpty && value.count <= most && value.utf8.count <= 32 * most)
                #expect(letter.utf8.count > 2 || value.count == most)
            }
        }
    }

    @Test("Picture paths are parsed from every form of the response to a profile change")
    func changeAnswer() {
        let avatars = Profile.Avatars(normal: "a.jpg")
        for body in [
            #"{"avatars":{"avatar":"a.jpg"}}"#, #"{"avatar":"a.jpg","bigAvatar":null,"miniAvatar":""}"#,
        ] {
            #expect(Profile.Avatars(changeAnswer: Array(body.utf8)) == avatars)
        }
        for body in ["", "null", "{}", #"{"avatars":null}"#, #"{"is_success":true}"#, "<html>"] {
            #expect(Profile.Avatars(changeAnswer: Array(body.utf8)) == nil)
        }
    }

    @Test(
        "A profile change is sent with all fields, null for cleared ones, and the picture only if it changes"
    )
    func change() throws {
        var profile = Profile(id: 1, phone: "+7", name: "Ann", username: "ann")
        (profile.city, profile.vk, profile.birthday) = ("Київ", "v", CalendarDay("1990-05-01"))
        profile.avatars = Profile.Avatars(normal: "a.jpg")
        var change = ProfileChange()
        #expect(change.isEmpty && change.applied(to: profile) == profile)
        #expect(
            change.json(changing: profile).serialized()
                == #"{"name":"Ann","username":"ann","birthday":"1990-05-01","city":"Київ","vk":"v","#
                + #""instagram":null,"status":null}"#
        )
        change.name = "Anna"
        change.birthday = .some(nil)
        change.city = ""
        change.about = "x"
        change.avatar = .picture(name: "../a.png", bytes: [1, 2, 3])
        #expect(
            change.json(changing: profile).serialized()
                == #"{"name":"Anna","username":"ann","birthday":null,"city":null,"vk":"v","instagram":null,"#
                + #""status":"x","avatar":{"filename":"../a.png","base_64":"AQID"}}"#
        )
        #expect(change.applied(to: profile).avatars == profile.avatars)
        change.avatar = .removed
        #expect(change.json(changing: profile)["avatar"] == ["filename": "", "base_64": ""])
        #expect(change.applied(to: profile).avatars == Profile.Avatars())
        #expect("\(change) \(profile)" == "change of a profile profile of user 1")
    }

    @Test("The response to a code is parsed as a sign-in or as an unknown user, or is rejected as invalid")
    func codeCheck() throws {
        let known = #"{"refresh_token":"r","access_token":"a","user_id":7,"is_user_exists":true}"#
        #expect(
            CodeCheck(try parsed(known))
                == .signedIn(AccountTokens(access: Secret("a"), refresh: Secret("r"), user: 7))
        )
        let unknown = #"{"refresh_token":null,"access_token":null,"user_id":null,"is_user_exists":false}"#
        #expect(CodeCheck(try parsed(unknown)) == .unknown(registration: nil))
        let ours = #"{"is_user_exists":false,"registration_token":"t"}"#
        #expect(CodeCheck(try parsed(ours)) == .unknown(registration: Secret("t")))
        for text in [
            "{}", "null", #"{"is_user_exists":true}"#,
            #"{"refresh_token":"r","access_token":null,"user_id":7,"is_user_exists":true}"#,
            #"{"refresh_token":"r","access_token":"a b","user_id":7,"is_user_exists":true}"#,
        ] {
            #expect(CodeCheck(try parsed(text)) == nil)
        }
    }

    @Test("An error response is parsed in every form that servers use")
    func failures() {
        func failure(_ status: Int, _ body: String) -> AccountFailure {
            AccountFailure(status: status, body: Array(body.utf8))
        }
        let invalid = failure(
            422,
            #"{"detail":[{"loc":["body","phone"],"msg":"not a number","type":"value_error"},{"loc":["body","avatar","base_64"],"msg":"x"},"text"]}"#
        )
        #expect(invalid.reason == .invalid && invalid.message == "not a number")
        #expect(invalid.fields.map(\.field) == ["phone", "avatar", ""])
        #expect(invalid.fields.last?.message == "text")
        #expect(failure(401, #"{"detail":"expired","body":"…"}"#).message == "expired")
        #expect(failure(404, #"{"detail":{"message":"wrong code"}}"#).message == "wrong code")
        for body in ["", "<html>", "{}", "[]", #"{"detail":null}"#, #"{"detail":{}}"#, "\u{0}"] {
            #expect(failure(500, body).message == "the server answers with status 500")
        }
        #expect(failure(403, #"{"detail":"a\n\u001b[31mb"}"#).message == "a[31mb")
        #expect(AccountFailure(status: 429, body: [], retryAfter: "30").wait == .seconds(30))
        #expect(AccountFailure(status: 429, body: [], retryAfter: "-1").wait == nil)
        #expect(failure(405, "").reason == .noAccounts)
        let statuses = [401, 403, 404, 405, 408, 413, 418, 422, 429, 500, 503]
        #expect(statuses.filter { failure($0, "").isTemporary } == [408, 429, 500, 503])
    }
}
