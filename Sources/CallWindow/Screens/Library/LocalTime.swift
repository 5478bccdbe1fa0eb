internal import Basics
internal import Glibc
internal import LiveCore
internal import WindowKit

/// A moment in the time zone of this computer.
struct LocalTime: Hashable, Sendable {
    private struct Day: Hashable {
        let year: Int
        let month: Int
        let day: Int
    }

    private let day: Day
    /// The hours and minutes, such as `08:05`.
    let clock: String
    private let today: Day
    private let yesterday: Day

    init(_ moment: Timestamp, now: Timestamp = .now) {
        let parts = Self.parts(moment)
        day = Self.day(parts)
        clock = "\(parts.tm_hour.twoDigits):\(parts.tm_min.twoDigits)"
        today = Self.day(Self.parts(now))
        // Noon of the previous day is always yesterday, even if the clocks were changed in between.
        var noon = Self.parts(now)
        (noon.tm_hour, noon.tm_mday) = (12, noon.tm_mday - 1)
        var before = mktime(&noon)
        var date = tm()
        localtime_r(&before, &date)
        yesterday = Self.day(date)
    }

    /// The date and time for people, such as “Today, 08:05”.
    func text(_ strings: Strings) -> String {
        if day == today { return strings("date.today", ["time": clock]) }
        if day == yesterday { return strings("date.yesterday", ["time": clock]) }
        return strings(
            "date.other",
            [
                "year": "\(day.year)", "month": day.month.twoDigits, "day": day.day.twoDigits, "time": clock,
            ]
        )
    }

    /// Whether both moments are on the same day.
    func isOnDay(of other: LocalTime) -> Bool { day == other.day }

    /// The day for people, such as “Today”.
    func dayText(_ strings: Strings) -> String {
        if day == today { return strings["date.today.day"] }
        if day == yesterday { return strings["date.yesterday.day"] }
        return strings(
            "date.other.day",
            ["year": "\(day.year)", "month": day.month.twoDigits, "day": day.day.twoDigits]
        )
    }

    private static func parts(_ moment: Timestamp) -> tm {
        var seconds = time_t(moment.milliseconds / 1000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }

    private static func day(_ parts: tm) -> Day {
        Day(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
    }
}
