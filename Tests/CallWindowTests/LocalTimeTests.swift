import AppFlow
import Basics
import Foundation
import LiveCore
import Testing

@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    /// The times are computed from noon in this computer's time zone.
    @Suite("Dates and times as shown to users")
    struct LocalTimeTests {
        private let strings = Strings(.english, folder: ScreenBench.strings)

        /// Noon of a day in March 2026, in which clocks are changed in many countries.
        private func noon(_ day: Int, hour: Int = 12) throws -> Timestamp {
            let parts = DateComponents(year: 2026, month: 3, day: day, hour: hour, minute: 5)
            let date = try #require(Calendar(identifier: .gregorian).date(from: parts))
            return Timestamp(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
        }

        @Test("Today and yesterday are shown as words")
        func near() throws {
            #expect(LocalTime(try noon(9), now: try noon(9, hour: 23)).text(strings) == "Today, 12:05")
            for day in 1...31 {
                let text = LocalTime(try noon(day - 1, hour: 8), now: try noon(day)).text(strings)
                #expect(text == "Yesterday, 08:05")
            }
        }

        @Test("Days other than today and yesterday are shown as dates")
        func far() throws {
            #expect(LocalTime(try noon(9), now: try noon(11)).text(strings) == "2026-03-09, 12:05")
            #expect(LocalTime(try noon(12), now: try noon(11)).text(strings) == "2026-03-12, 12:05")
        }
    }
}
