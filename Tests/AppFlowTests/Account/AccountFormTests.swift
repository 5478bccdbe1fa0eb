import AccountsCore
import AppFlow
import Testing

@Suite("The forms of the account")
struct AccountFormTests {
    private static let today = CalendarDay("2026-11-28")

    @Test(
        "A birthday is parsed in the common formats, and incomplete dates are rejected",
        arguments: [
            ("1990-05-01", "1990-05-01"), ("01.05.1990", "1990-05-01"), ("1/5/1990", "1990-05-01"),
            (" 1. 5. 1990 ", "1990-05-01"), ("31.02.1990", nil), ("1.5.90", nil), ("", nil), ("1990", nil),
            ("1.5.1990.7", nil), ("٠١.٠٥.١٩٩٠", nil),
        ] as [(String, String?)]
    )
    func typed(text: String, day: String?) {
        #expect(CalendarDay(typed: text)?.description == day)
    }

    @Test("A profile can be saved only with a change, and only if every field is valid")
    func saving() throws {
        let today = try #require(Self.today)
        var form = ProfileForm(Profile(id: 1, phone: "+380501234567", name: "Ann", username: "ann"))
        #expect(!form.canSave(today: today) && !form.isChanged)
        form.set("Ann ", of: .name)
        #expect(!form.canSave(today: today))
        form.set("", of: .name)
        #expect(!form.canSave(today: today) && form.problem(of: .name, today: today) == .empty)
        form.set("Anna", of: .name)
        #expect(form.canSave(today: today))
        form.set("2027-01-01", of: .birthday)
        #expect(form.problem(of: .birthday, today: today) == .range && !form.canSave(today: today))
        form.set("1899-12-31", of: .birthday)
        #expect(form.problem(of: .birthday, today: today) == .range)
        form.set("soon", of: .birthday)
        #expect(form.problem(of: .birthday, today: today) == .form)
        form.set("31.02.1990", of: .birthday)
        #expect(form.problem(of: .birthday, today: today) == .noDay && !form.canSave(today: today))
        form.set("", of: .birthday)
        #expect(form.change(today: today)?.birthday == nil)
        form.removePicture()
        #expect(form.change(today: today)?.avatar == .removed)
    }

    @Test(
        "The username field ignores characters other than ASCII letters, digits, _ and -",
        arguments: [("Ann-1_b", false), ("ж я!c", true)]
    )
    func username(typed: String, isIgnored: Bool) {
        var form = RegistrationForm(phone: "+380501234567", token: nil)
        form.setUsername(typed)
        #expect(form.username == (isIgnored ? "c" : typed))
        #expect(form.hasIgnored == isIgnored)
        form.setName("A")
        #expect(form.canProceed == !isIgnored)
        form.setName(String(repeating: "a", count: 65))
        #expect(form.nameProblem == .tooLong(64) && !form.canProceed)
    }

    @Test(
        "The first six digits of a pasted text are taken as the code",
        arguments: [("12 34-56 7", "123456"), ("code ١٢٣", "123"), ("", "")]
    )
    func code(text: String, digits: String) {
        var form = CodeForm(phone: "+380501234567", purpose: .signIn)
        form.enter(text)
        #expect(form.digits == digits)
        #expect(form.isComplete == (digits.count == 6))
    }
}
