import AccountsCore
import PhoneKit
import Testing

@testable import callrunner

@Suite("Texts for accounts on the command line")
struct AccountTextTests {
    @Test(
        "A phone number without a country code belongs to the user's country",
        arguments: [
            ("+7 921 999-99-99", "UA", "+79219999999"), ("050 123 45 67", "UA", "+380501234567"),
            ("(202) 555-0123", "US", "+12025550123"), ("8 921 999 99 99", "RU", "+79219999999"),
        ]
    )
    func phone(text: String, region: String, number: String) throws {
        #expect(try AccountText.phone(text, in: Country(region: region)) == number)
    }

    @Test(
        "The picture of a profile is shown with its absolute URL",
        arguments: [
            ("/media/a.png", "http://h:1/media/a.png"), ("media/a.png", "http://h:1/media/a.png"),
            ("https://cdn/a.png", "https://cdn/a.png"),
        ]
    )
    func avatar(path: String, url: String) {
        var profile = Profile(id: 1000, phone: "+1", name: "Ann", username: "ann")
        profile.avatars.normal = path
        #expect(AccountShowCommand.lines(profile, "http://h:1").last?.1 == url)
    }

    @Test("Invalid phone numbers are refused", arguments: ["", "123", "abc", "+", "+0123456789", nil])
    func noPhone(text: String?) {
        #expect(throws: Failure.self) { try AccountText.phone(text, in: Country(region: "UA")) }
        #expect(throws: Failure.self) { try AccountText.phone(text, in: nil) }
    }
}
