/// A MessagePack date formatted like `Date.prototype.toISOString`: in UTC, for the years 0000 to 9999.
struct MessagePackDate {
    let text: String

    /// Creates a date from a timestamp extension of 4, 8 or 12 bytes; nil outside the years 0000 to 9999.
    init?(timestamp bytes: [UInt8]) {
        let number = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(seconds: Int64(number(bytes[...])), milliseconds: 0)
        case 8:
            let all = number(bytes[...])
            let milliseconds = Int64(all >> 34) / 1_000_000
            self.init(seconds: Int64(all & (1 << 34 - 1)), milliseconds: milliseconds)
        case 12:
            let milliseconds = Int64(number(bytes[..<4])) / 1_000_000
            self.init(seconds: Int64(bitPattern: number(bytes[4...])), milliseconds: milliseconds)
        default: return nil
        }
    }

    /// Creates a date from the 8 bytes of older encoders, which hold milliseconds since 1970.
    init?(milliseconds bytes: [UInt8]) {
        let all = Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        let seconds = all >= 0 ? all / 1000 : -((-(all + 1)) / 1000) - 1
        self.init(seconds: seconds, milliseconds: all &- seconds &* 1000)
    }

    private init?(seconds: Int64, milliseconds: Int64) {
        // From 0000-01-01 to 9999-12-31.
        guard (-62_167_219_200...253_402_300_799).contains(seconds), (0...999).contains(milliseconds) else {
            return nil
        }
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let second = Int(seconds) - days * 86_400
        let (year, month, day) = Self.date(days)
        text =
            "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))T"
            + "\(Self.padded(second / 3600)):\(Self.padded(second / 60 % 60)):\(Self.padded(second % 60))"
            + ".\(Self.padded(Int(milliseconds), 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Converts days since 1970-01-01 to a Gregorian date.
    ///
    /// Years are counted from March, so that the leap day is the last day of a year.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
