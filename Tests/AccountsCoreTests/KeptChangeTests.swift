import AccountsCore
import Basics
import Testing

@Suite("Changes that wait for the server")
struct KeptChangeTests {
    private static let changes: [ProfileChange] = {
        var all = ProfileChange()
        (all.name, all.city, all.vk, all.instagram, all.about) = ("Ann", "", "v", "i", "a\nb")
        all.birthday = .some(CalendarDay("1990-05-01"))
        all.avatar = .picture(name: "a.jpg", bytes: [0, 255, 7])
        var removing = ProfileChange()
        removing.birthday = .some(nil)
        removing.avatar = .removed
        return [ProfileChange(), all, removing]
    }()

    @Test("A stored profile change is decoded unchanged", arguments: changes)
    func kept(change: ProfileChange) throws {
        let text = change.json.serialized()
        #expect(ProfileChange(try JSON(parsing: Array(text.utf8))) == change)
    }

    @Test("When two changes are merged, the later value of each field wins")
    func followed() {
        var first = ProfileChange()
        (first.city, first.about, first.avatar) = ("Kyiv", "old", .removed)
        first.birthday = .some(CalendarDay("1990-05-01"))
        var later = ProfileChange()
        (later.city, later.birthday) = ("Lviv", .some(nil))
        let both = first.followed(by: later)
        #expect(both.city == "Lviv" && both.about == "old" && both.avatar == .removed)
        #expect(both.birthday == .some(nil))
    }

    @Test(
        "The weekday of a date is correct",
        arguments: [("2026-11-28", 5), ("1990-05-01", 1), ("2000-02-29", 1), ("1900-01-01", 0)]
    )
    func weekday(day: String, weekday: Int) throws {
        #expect(try #require(CalendarDay(day)).weekday == weekday)
    }
}
