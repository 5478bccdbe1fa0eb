import Basics
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "A timestamp is parsed with its fraction and its offset from UTC",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1),
            ("2026-01-31T12:00:00.123Z", 1_769_860_800_123),
            ("2026-01-31T13:00:00.1239+01:00", 1_769_860_800_123),
            ("2026-01-31T11:30:00.1-0030", 1_769_860_800_100), ("2000-02-29T23:59:59Z", 951_868_799_000),
            ("2024-12-31T23:59:60z", 1_735_689_600_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ]
    )
    func parsing(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(
        "A malformed or invalid timestamp is refused",
        arguments: [
            "", "2026", "2026-01-31", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T00:60:00Z", "2026-01-31T00:00:61Z",
            "2026-01-31T00:00:00", "2026-01-31T00:00:00.Z", "2026-01-31T00:00:00Zz", "1969-12-31T23:59:59Z",
            "2026-01-31T00:00:00+1:00", "+026-01-31T00:00:00Z", "2026-01-31T00:00:00.1+25:00",
        ]
    )
    func refusal(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("A timestamp survives formatting and parsing on each day of four centuries")
    func roundTrip() throws {
        for day in Int64(0)..<146_097 {
            let timestamp = Timestamp(milliseconds: day * 86_400_000 + day % 86_400_000)
            try #require(Timestamp("\(timestamp)") == timestamp)
        }
    }

    @Test("A duration can be added to a timestamp, and the difference of two timestamps is a duration")
    func arithmetic() {
        let start = Timestamp(milliseconds: 1000)
        #expect(start + .milliseconds(-1500) == Timestamp(milliseconds: -500))
        #expect((start + .seconds(2)) - start == .seconds(2))
        #expect("\(Timestamp(milliseconds: -1))" == "1969-12-31T23:59:59.999Z")
    }
}
