internal import AccountsCore
internal import Basics
internal import PhoneKit

/// Parsers for what users enter into their accounts on the command line.
enum AccountText {
    /// Checks a value that must be given.
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

    /// Checks a value.
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

    /// Reads a phone number, in which spaces, dashes and parentheses have no meaning.
    ///
    /// A number without a country code is one of `country`.
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
        case .form: "the text does not have the expected form"
        case .noDay: "there is no such day"
        case .range: "the date is not between 1900 and today"
        }
    }

    private static func hint(_ flag: String) -> String {
        switch flag {
        case "--phone":
            "write it with the country code, as in +79219999999; without one it is a number of the country of your locale"
        case "--code": "write six digits"
        case "--birthday": "write it as in 1990-05-01"
        case "--username": "use 3 to 32 letters of ASCII, digits, _ and -"
        default: "`callrunner help account edit` tells what is allowed"
        }
    }
}
