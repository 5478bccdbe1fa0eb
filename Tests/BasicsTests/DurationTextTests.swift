import Basics
import Testing

@Suite("Durations as text")
struct DurationTextTests {
    private static let forms: [(String, Duration)] = [
        ("10s", .seconds(10)), ("1m30s", .seconds(90)), ("500ms", .milliseconds(500)),
        ("10", .seconds(10)), ("2.5", .milliseconds(2500)), ("0.25s", .milliseconds(250)),
        (".5", .milliseconds(500)), ("1.", .seconds(1)), ("1h", .seconds(3600)),
        ("1h2m3s4ms", .milliseconds(3_723_004)), ("1.5m", .seconds(90)), ("0", .zero),
        ("999999h999999m", .seconds(3_659_996_340)),
    ]

    @Test("Every documented form of a duration is parsed", arguments: forms)
    func understood(text: String, duration: Duration) throws {
        #expect(try DurationText(text).duration == duration)
    }

    @Test(
        "Text that is not a valid duration is refused",
        arguments: [
            "", "s", ".", "10x", "s10", "1s1m", "1s1s", "1m30", "-1", "+1", "1 s", "1e3", "٣", "1000000",
            "1.2.3", "nan", "inf", "99999999999999999999",
        ]
    )
    func refused(text: String) {
        #expect(throws: DurationTextError.self) { try DurationText(text) }
    }

    private static let readings: [(Duration, String)] = [
        (.seconds(10), "10 s"), (.seconds(90), "1 m 30 s"), (.milliseconds(500), "500 ms"),
        (.milliseconds(2500), "2.5 s"), (.zero, "0 s"), (.seconds(3600), "1 h"),
        (.milliseconds(-5), "0 s"), (.milliseconds(1050), "1.05 s"),
    ]

    @Test("A duration is formatted in hours, minutes, seconds and milliseconds", arguments: readings)
    func spoken(duration: Duration, text: String) {
        #expect(DurationText(duration).description == text)
    }
}
