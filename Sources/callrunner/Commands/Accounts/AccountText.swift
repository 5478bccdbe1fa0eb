internal import AccountsCore
internal import Basics
internal import PhoneKit

/// Parsers for account data on the command line.
enum AccountText {
    /// Checks the value of a required flag.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func required<Value>(
        _ flag: String,
        _ text: String?,
        _ check: (String) throws(AccountRules.Problem) -> Value
    ) throws(Failure) -> Value {
        guard let text else { throw .usage("\(flag) is missing") }
        return try value(flag, text, check)
    }

    /// Checks the value of a flag.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func value<Value>(
        _ flag: String,
        _ text: String,
        _ check: (String) throws(AccountRules.Problem) -> Value
    ) throws(Failure) -> Value {
        do throws(AccountRules.Problem) { return try check(text) } catch {
            throw .usage("\(flag): \(reason(error))", hint: hint(flag))
        }
    }

    /// Parses a phone number, ignoring spaces, dashes, points and parentheses.
    ///
    /// A number without a country code is read as a number in `country`.
    /// - Throws: `Failure` with exit code 64.
    static func phone(
        _ text: String?,
        in country: @autoclosure () -> Country?
    ) throws(Failure) -> String {
        let plain = text?.filter { !" -().\u{A0}".contains($0) }
        if let plain, !plain.isEmpty, plain.allSatisfy({ $0.isASCII && $0.isNumber }), let country = country()
        {
            var entry = PhoneEntry(country: country)
            entry.insert(plain)
            if entry.isPossible { return entry.number }
        }
        return try required("--phone", plain, AccountRules.phone)
    }

    static func code(_ text: String) throws(Failure) -> String {
        try value("--code", text.filter { $0 != " " }, AccountRules.code)
    }

    private static func reason(_ problem: AccountRules.Problem) -> String {
        switch problem {
        case .empty: "the text is empty"
        case .tooLong(let maximum): "the text has more than \(maximum) characters"
        case .tooShort(let minimum): "the text has fewer than \(minimum) characters"
        case .characters: "the text has characters that are not allowed"
        case .form: "the text is not in the expected format"
        case .noDay: "there is no such day"
        case .range: "the date is not between 1900 and today"
        }
    }

    private static func hint(_ flag: String) -> String {
        switch flag {
        case "--phone":
            "write it with the country code, as in +79219999999; without one, the country of your locale is assumed"
        case "--code": "write six digits"
        case "--birthday": "write it as in 1990-05-01"
        case "--username": "use 3 to 32 characters: ASCII letters, digits, _ and -"
        default: "docs/accounts.md lists what each field may contain"
        }
    }
}
