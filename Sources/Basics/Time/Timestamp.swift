/// A moment in the Gregorian calendar, with millisecond precision; its text is that of RFC 3339.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970 in UTC, without leap seconds.
    package var milliseconds: Int64

    /// The years that can be parsed.
    private static let years: ClosedRange<Int64> = 1970...9999
    private static let dayLength: Int64 = 86_400_000

    /// Creates a timestamp, limited to about 30,000 years before and after 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -1_000_000_000_000_000), 1_000_000_000_000_000)
    }

    /// Parses a text such as `2026-01-31T12:00:00.123Z` or `2026-01-31T13:00:00+01:00`.
    ///
    /// - Returns: nil for anything else, and for years before 1970 or after 9999.
    package init?(_ text: some StringProtocol) {
        var reader = Reader(rest: Array(text.utf8.prefix(64))[...])
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), Self.years.contains(year), (1...12).contains(month),
            (1...Self.length(ofMonth: month, year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let fraction = reader.skip(".") ? reader.milliseconds() : 0
        guard let fraction, let offset = reader.offset(), reader.rest.isEmpty else { return nil }
        let time = ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
        milliseconds = Self.days(year, month, day) * Self.dayLength + time
    }

    package var description: String {
        let day = Int64((Double(milliseconds) / Double(Self.dayLength)).rounded(.down))
        let time = milliseconds - day * Self.dayLength
        let (year, month, dayOfMonth) = Self.date(ofDay: day)
        let date = "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(dayOfMonth, 2))"
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { Self.digits($0, 2) }
        return "\(date)T\(clock.joined(separator: ":")).\(Self.digits(time % 1000, 3))Z"
    }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (start: Self, span: Duration) -> Self {
        let milliseconds = min(max(span / .milliseconds(1), -1e15), 1e15).rounded(.towardZero)
        return Self(milliseconds: start.milliseconds + Int64(milliseconds))
    }

    package static func - (end: Self, start: Self) -> Duration {
        .milliseconds(end.milliseconds - start.milliseconds)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of days from 1970-01-01 to the first day of a year.
    private static func days(toYear year: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        (1..<month).reduce(days(toYear: year) + day - 1) { $0 + length(ofMonth: $1, year) }
    }

    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // The estimate is at most one year too high or too low.
        var year = 1970 + day * 400 / 146_097
        while days(toYear: year) > day { year -= 1 }
        while days(toYear: year + 1) <= day { year += 1 }
        var (month, rest) = (Int64(1), day - days(toYear: year))
        while rest >= length(ofMonth: month, year) {
            rest -= length(ofMonth: month, year)
            month += 1
        }
        return (year, month, rest + 1)
    }

    /// A reader of the parts of a timestamp.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ count: Int) -> Int64? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest.removeFirst(count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        /// Reads the digits of a fraction of a second; ignores all but the first three.
        mutating func milliseconds() -> Int64? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest[digits.endIndex...]
            return (Array(digits.prefix(3)) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        /// Reads `Z`, or an offset from UTC such as `+01:00`, in minutes.
        mutating func offset() -> Int64? {
            if skip("Z") || skip("z") { return 0 }
            let isNegative = skip("-")
            guard isNegative || skip("+"), let hours = number(2), hours < 24 else { return nil }
            _ = skip(":")  // Some packagers omit it.
            guard let minutes = number(2), minutes < 60 else { return nil }
            return (isNegative ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}
