package import Basics

/// A date in the Gregorian calendar, such as a birthday; its text is `yyyy-MM-dd`.
package struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Creates a date; nil if it does not exist, or for years before 1 or after 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Parses a text such as `1990-05-01`; nil if it is not a valid date.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Creates the UTC date of a time; nil for years before 1 or after 9999.
    package init?(of time: Timestamp) { self.init(String(time.description.prefix(10))) }

    package var description: String {
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    /// The day of the week, from 0 for Monday to 6 for Sunday.
    package var weekday: Int {
        // Zeller's congruence, in which a year begins in March.
        let (month, year) = month < 3 ? (month + 12, year - 1) : (month, year)
        let sum = day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400
        return (sum + 5) % 7
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// Returns the number of days of a month from 1 to 12.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
