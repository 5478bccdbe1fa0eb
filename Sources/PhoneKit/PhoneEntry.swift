internal import CPhone

/// A phone number that is being entered: a country and the national digits after its calling code.
package struct PhoneEntry: Hashable, Sendable {
    /// The maximum number of digits of an E.164 number, including its calling code.
    private static let maximumDigits = 15

    package private(set) var country: Country
    /// The national digits, at most 14.
    package private(set) var digits: String
    /// The number of digits before the cursor.
    package private(set) var cursor: Int
    /// The digits of a calling code that is being entered after a plus sign; nil if the country's calling code applies.
    package private(set) var codeDigits: String?

    /// Creates an entry; digits beyond the maximum length are dropped.
    package init(country: Country, digits: String = "") {
        self.country = country
        self.digits = Self.limited(Self.digits(in: digits), country)
        cursor = self.digits.count
    }

    /// The national digits with the country's spaces and dashes.
    ///
    /// While a calling code is being entered, the text is that code with a plus sign.
    package var text: String { codeDigits.map { "+\($0)" } ?? mask().text }

    /// The position of the cursor in `text`, in characters.
    package var textCursor: Int { codeDigits.map { $0.count + 1 } ?? mask().cursor }

    /// Whether a number of this length can exist in the country.
    package var isPossible: Bool {
        codeDigits == nil && callrunner_phone_is_possible(Int32(country.code), digits)
    }

    /// Whether the number is longer than any number of its country.
    package var isTooLong: Bool {
        codeDigits == nil && callrunner_phone_is_too_long(Int32(country.code), digits)
    }

    /// The number in E.164, such as `+380501234567`.
    package var number: String { "+\(country.code)\(digits)" }

    private func mask() -> (text: String, cursor: Int) {
        var place = cursor
        let text = phoneText { callrunner_phone_mask(Int32(country.code), digits, &place, $0, $1) } ?? digits
        return (text, place)
    }

    // MARK: Typing

    /// Selects a country and keeps the digits that fit.
    package mutating func select(_ country: Country) {
        (self.country, codeDigits) = (country, nil)
        digits = Self.limited(digits, country)
        cursor = min(cursor, digits.count)
    }

    /// Inserts typed or pasted text at the cursor; all characters except digits and a plus sign are ignored.
    ///
    /// A text with a calling code, or a complete number of the country, replaces the entry.
    package mutating func insert(_ text: String) {
        let typed = Self.digits(in: text)
        let isPlus = text.contains(where: Self.isPlus)
        guard !typed.isEmpty || isPlus else { return }
        if isPlus, typed.isEmpty {
            // A calling code follows, digit by digit.
            if digits.isEmpty { codeDigits = "" }
            return
        }
        if !isPlus, let known = codeDigits { return type(typed, after: known) }
        codeDigits = nil
        if replace(with: text, typed) { return }
        let place = digits.index(digits.startIndex, offsetBy: cursor)
        let changed = digits[..<place] + typed + digits[place...]
        guard country.code.description.count + changed.count <= Self.maximumDigits else { return }
        digits = String(changed)
        cursor += typed.count
        findCountry()
    }

    /// Deletes the digit before the cursor, or the one after it if `forward`.
    package mutating func delete(forward: Bool = false) {
        if let known = codeDigits {
            if !forward { codeDigits = known.isEmpty ? nil : String(known.dropLast()) }
            return
        }
        let index = forward ? cursor : cursor - 1
        guard (0..<digits.count).contains(index) else { return }
        digits.remove(at: digits.index(digits.startIndex, offsetBy: index))
        cursor = index
        findCountry()
    }

    /// Moves the cursor by a number of digits.
    package mutating func moveCursor(by count: Int) { cursor = min(max(0, cursor + count), digits.count) }

    /// Moves the cursor to a position in `text`.
    package mutating func moveCursor(toTextPlace place: Int) {
        cursor = text.prefix(max(0, place)).count { $0.isASCII && $0.isNumber }
    }

    /// Replaces the entry with a text that has a calling code, or with a pasted number; returns false if the text is
    /// neither.
    private mutating func replace(with text: String, _ typed: String) -> Bool {
        let hasPlus = text.first { !$0.isWhitespace }.map(Self.isPlus) ?? false
        // Fewer than five digits are never a complete number.
        guard hasPlus || typed.count > 4 else { return false }
        var code: Int32 = 0
        if let national = phoneText({ callrunner_phone_read(text, country.region, &code, $0, $1) }),
            hasPlus || Int(code) == country.code,
            let found = Country(code: Int(code), digits: national, hint: country)
        {
            self = PhoneEntry(country: found, digits: national)
            return true
        }
        // An international number that is not complete.
        guard hasPlus,
            let length = (1...3).first(where: { Country.codes.contains(Int(typed.prefix($0)) ?? 0) })
        else { return hasPlus }
        let (start, national) = (Int(typed.prefix(length)) ?? 0, String(typed.dropFirst(length)))
        guard let found = Country(code: start, digits: national, hint: country) else { return true }
        self = PhoneEntry(country: found, digits: national)
        return true
    }

    /// Appends digits to a calling code; the digits after a complete code are the national digits.
    private mutating func type(_ typed: String, after known: String) {
        var known = known
        var rest = typed[...]
        while let digit = rest.popFirst() {
            // A digit that continues no calling code is ignored.
            guard Country.codes.contains(where: { $0.description.hasPrefix(known + String(digit)) }) else {
                continue
            }
            known.append(digit)
            guard let code = Int(known), let found = Country(code: code) else { continue }
            self = PhoneEntry(country: found, digits: String(rest))
            return findCountry()
        }
        codeDigits = known
    }

    /// Selects the country to which the digits belong, if several countries share the calling code.
    private mutating func findCountry() {
        country = Country(code: country.code, digits: digits, hint: country) ?? country
    }

    private static func limited(_ digits: String, _ country: Country) -> String {
        String(digits.prefix(maximumDigits - country.code.description.count))
    }

    /// Returns the decimal digits in a text, in any script, as ASCII digits.
    private static func digits(in text: String) -> String {
        text.prefix(250).reduce(into: "") { digits, character in
            guard let value = character.wholeNumberValue, (0...9).contains(value), character.isNumber else {
                return
            }
            digits += String(value)
        }
    }

    private static func isPlus(_ character: Character) -> Bool { character == "+" || character == "＋" }
}

extension Country {
    /// Creates the country to which the digits after a calling code belong; if they are ambiguous, `hint` or the main
    /// country of the code.
    init?(code: Int, digits: String, hint: Country) {
        guard let code = Int32(exactly: code),
            let region = phoneText({ callrunner_phone_region(code, digits, hint.region, $0, $1) })
        else { return nil }
        self.init(region: region)
    }
}

/// Formats an E.164 number for display, such as `+380 50 123 4567`; returns other texts unchanged.
package func formattedPhone(_ number: String) -> String {
    phoneText { callrunner_phone_format(number, $0, $1) } ?? number
}
