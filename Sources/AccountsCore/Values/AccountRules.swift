internal import Basics

/// The validation rules for account fields, which client and server share.
package enum AccountRules {
    /// A field of an account, by its name in the API.
    package enum Field: String, CaseIterable, Hashable, Sendable {
        case phone, code, name, username, birthday, city, vk, instagram, status, avatar
    }

    /// A free-text field.
    package enum TextField: String, CaseIterable, Hashable, Sendable {
        case name, city, vk, instagram, status

        /// The maximum number of characters.
        package var maximum: Int {
            switch self {
            case .name, .city: 64
            case .vk, .instagram: 256
            case .status: 1000
            }
        }
    }

    /// The reason why the content of a field is invalid.
    package enum Problem: Error, Hashable, Sendable {
        case empty
        /// The text exceeds this number of characters.
        case tooLong(Int)
        /// The text has fewer characters than this minimum.
        case tooShort(Int)
        /// The text contains characters that are not allowed.
        case characters
        /// The text is not a number, code or date of the expected form.
        case form
        /// The date does not exist, such as 31 February.
        case noDay
        /// The date is before 1900 or after today.
        case range
    }

    /// The maximum size of a picture in bytes.
    package static let maximumPicture = 5_000_000
    /// The number of digits of a code.
    package static let codeLength = 6
    package static let usernameLength = 3...32
    /// The earliest birthday.
    private static let firstBirthday = CalendarDay(year: 1900, month: 1, day: 1)
    /// The maximum average number of bytes per character; Indic letters and emoji have many bytes.
    private static let bytesPerCharacter = 32

    /// Validates a free text and returns it trimmed and normalized.
    ///
    /// Only `status` may have several lines, and only `name` must not be empty.
    package static func text(_ text: String, of field: TextField) throws(Problem) -> String {
        let entered = field == .status ? text.replacing("\r\n", with: "\n") : text
        let maximum = field.maximum
        let limit = 2 * bytesPerCharacter * maximum
        guard entered.utf8.count <= limit else { throw .tooLong(maximum) }
        if let visible = VisibleText(
            entered,
            maximum: maximum,
            bytesPerCharacter: bytesPerCharacter,
            hasLines: field == .status
        ) {
            return visible.value
        }
        let trimmed = VisibleText.trimmed(entered.unicodeScalars)
        guard !trimmed.isEmpty else {
            if field == .name { throw .empty }
            return ""
        }
        let isLong = trimmed.count > maximum || trimmed.utf8.count > bytesPerCharacter * maximum
        throw isLong ? .tooLong(maximum) : .characters
    }

    /// Returns the first `maximum` characters of a text from a server.
    static func beginning(of text: String, maximum: Int) -> String {
        String(text.bounded(bytes: bytesPerCharacter * maximum).prefix(maximum))
    }

    /// Validates a username: 3 to 32 ASCII letters, digits, `_` and `-`.
    package static func username(_ text: String) throws(Problem) -> String {
        guard text.utf8.allSatisfy(isOfUsername) else { throw .characters }
        guard text.utf8.count >= usernameLength.lowerBound else {
            throw text.isEmpty ? .empty : .tooShort(usernameLength.lowerBound)
        }
        guard text.utf8.count <= usernameLength.upperBound else { throw .tooLong(usernameLength.upperBound) }
        return text
    }

    /// Returns whether a username may contain this ASCII byte.
    package static func isOfUsername(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Validates a birthday: from 1900 to `today`.
    package static func birthday(_ text: String, today: CalendarDay) throws(Problem) -> CalendarDay {
        guard let day = CalendarDay(text) else { throw .form }
        guard day <= today, firstBirthday.map({ day >= $0 }) ?? true else { throw .range }
        return day
    }

    /// Validates a code: six digits.
    package static func code(_ text: String) throws(Problem) -> String {
        guard text.utf8.count == codeLength, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .form
        }
        return text
    }

    /// Validates a phone number in the form of E.164: `+`, then 7 to 15 digits, of which the first is not 0.
    package static func phone(_ text: String) throws(Problem) -> String {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (7...15).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0")
        else { throw .form }
        return text
    }
}
