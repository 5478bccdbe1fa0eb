import AccountsCore
import Basics
import Testing

@Suite("Values of accounts")
struct AccountValueTests {
    /// The first days of the signs in a year.
    private static let firstDays: [(day: String, sign: ZodiacSign)] = [
        ("01-01", .capricorn), ("01-20", .aquarius), ("02-19", .pisces), ("03-21", .aries),
        ("04-20", .taurus),
        ("05-21", .gemini), ("06-21", .cancer), ("07-23", .leo), ("08-23", .virgo), ("09-23", .libra),
        ("10-23", .scorpio), ("11-22", .sagittarius), ("12-22", .capricorn),
    ]

    @Test("Each of the 366 days of a leap year has the correct zodiac sign")
    func zodiac() throws {
        var count = 0
        for month in 1...12 {
            for day in 1...CalendarDay.length(ofMonth: month, year: 2000) {
                let birthday = try #require(CalendarDay(year: 2000, month: month, day: day))
                let text = birthday.description.dropFirst(5)
                #expect(ZodiacSign(birthday) == Self.firstDays.last { $0.day <= text }?.sign, "\(birthday)")
                count += 1
            }
        }
        #expect(count == 366)
    }

    @Test(
        "A date is parsed in the form YYYY-MM-DD, and dates that do not exist are rejected",
        arguments: [
            ("1990-05-01", true), ("2000-02-29", true), ("1900-02-29", false), ("2023-02-29", false),
            ("2024-02-29", true), ("1990-5-1", false), ("1990-00-10", false), ("1990-13-01", false),
            ("1990-04-31", false), ("0000-01-01", false), ("", false), ("1990-05-01 ", false),
            ("+990-05-01", false), ("1990-05-01-01", false), ("１９９０-05-01", false),
        ]
    )
    func days(text: String, exists: Bool) {
        #expect((CalendarDay(text) != nil) == exists)
        if exists { #expect(CalendarDay(text)?.description == text) }
    }

    @Test("A birthday lies between 1900 and today")
    func birthday() throws {
        let today = try #require(CalendarDay("2026-11-27"))
        for (text, problem) in [
            ("1900-01-01", nil), ("2026-11-27", nil), ("1899-12-31", .range), ("2026-11-28", .range),
            ("27.11.2026", .form),
        ] as [(String, AccountRules.Problem?)] {
            let result = Result { () throws(AccountRules.Problem) in
                try AccountRules.birthday(text, today: today)
            }
            switch result {
            case .success(let day): #expect(problem == nil && day.description == text)
            case .failure(let found): #expect(found == problem)
            }
        }
    }

    /// The problem of a text; nil if it is accepted.
    private func problem<Value>(_ check: () throws(AccountRules.Problem) -> Value) -> AccountRules.Problem? {
        do throws(AccountRules.Problem) {
            _ = try check()
            return nil
        } catch { return error }
    }

    @Test(
        "Profile texts are trimmed and normalized, and each violated limit is reported as its own problem",
        arguments: AccountRules.TextField.allCases
    )
    func texts(field: AccountRules.TextField) throws {
        func refusal(_ text: String) -> AccountRules.Problem? {
            problem { () throws(AccountRules.Problem) in try AccountRules.text(text, of: field) }
        }
        #expect(try AccountRules.text("  Zoe\u{308} ", of: field) == "Zo\u{EB}")
        let isLong = field == .status
        #expect(refusal("one\r\ntwo") == (isLong ? nil : .characters))
        if isLong { #expect(try AccountRules.text("one\r\ntwo", of: field) == "one\ntwo") }
        for letter in ["x", "क्षि", "👩‍👩‍👧"] {
            #expect(refusal(String(repeating: letter, count: field.maximum)) == nil)
            #expect(refusal(String(repeating: letter, count: field.maximum + 1)) == .tooLong(field.maximum))
        }
        #expect(refusal("x" + String(repeating: "\u{301}", count: 20_000)) == .tooLong(field.maximum))
        #expect(refusal(" \n ") == (field == .name ? .empty : nil))
        for text in ["a\u{202E}b", "a\u{0}b"] { #expect(refusal(text) == .characters) }
    }

    @Test(
        "A username has 3 to 32 ASCII letters, digits, underscores and hyphens",
        arguments: [
            ("ann", nil), ("A_n-9", nil), (String(repeating: "a", count: 32), nil), ("", .empty),
            ("an", .tooShort(3)), (String(repeating: "a", count: 33), .tooLong(32)), ("an n", .characters),
            ("énn", .characters), ("ann@", .characters),
        ] as [(String, AccountRules.Problem?)]
    )
    func username(text: String, expected: AccountRules.Problem?) {
        #expect(problem { () throws(AccountRules.Problem) in try AccountRules.username(text) } == expected)
    }

    @Test("A code has six digits, and a phone number has the form of E.164")
    func numbers() {
        for (text, isCode) in [
            ("133337", true), ("13333", false), ("1333377", false), ("13333a", false), ("", false),
        ] {
            let found = problem { () throws(AccountRules.Problem) in try AccountRules.code(text) }
            #expect((found == nil) == isCode)
        }
        for (text, isPhone) in [
            ("+79219999999", true), ("+1234567", true), ("+123456", false), ("+1234567890123456", false),
            ("79219999999", false), ("+09219999999", false), ("+7921 999", false), ("", false), ("+", false),
        ] {
            let found = problem { () throws(AccountRules.Problem) in try AccountRules.phone(text) }
            #expect((found == nil) == isPhone)
        }
    }
}
