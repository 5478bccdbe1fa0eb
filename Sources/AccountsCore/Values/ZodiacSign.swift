/// A sign of the zodiac; it is derived from a birthday and never stored.
package enum ZodiacSign: String, CaseIterable, Hashable, Sendable {
    case capricorn, aquarius, pisces, aries, taurus, gemini, cancer, leo, virgo, libra, scorpio, sagittarius

    /// The first day of the sign that begins in each month, from January to December.
    private static let firstDays = [20, 19, 21, 20, 21, 21, 23, 23, 23, 23, 22, 22]

    /// Creates the sign of a birthday.
    package init(_ birthday: CalendarDay) {
        let isNext = birthday.day >= Self.firstDays[birthday.month - 1]
        let index = birthday.month - 1 + (isNext ? 1 : 0)
        self = Self.allCases[index % Self.allCases.count]
    }
}
