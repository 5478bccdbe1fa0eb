import CallCore
import Testing

@testable import callrunner

@Suite("Status line of a terminal")
struct LiveTextTests {
    private static let call: LiveText = {
        var statistics = CallStatistics()
        var (video, sent) = (CallStatistics.Incoming(), CallStatistics.Outgoing())
        (video.bitrate, video.fps, video.width, video.height) = (1_130_000, 30, 1280, 720)
        sent.bitrate = 1_130_000
        (statistics.videoIn, statistics.videoOut, statistics.rttMs) = (video, sent, 1.2)
        let groups = StatusText(statistics: statistics).groups
        return LiveText([[LiveText.Piece("connected"), LiveText.Piece("host→host", 2)]] + groups)
    }()

    @Test(
        "On a narrow terminal, the status line omits its less important parts",
        arguments: [
            (200, "connected host→host · ▼ 1.1 Mb/s 1280×720 30 fps · ▲ 1.1 Mb/s · lost 0 · RTT 1.2 ms"),
            (79, "connected host→host · ▼ 1.1 Mb/s 30 fps · ▲ 1.1 Mb/s · lost 0 · RTT 1.2 ms"),
            (64, "connected · ▼ 1.1 Mb/s 30 fps · ▲ 1.1 Mb/s · lost 0 · RTT 1.2 ms"),
            (50, "connected · ▼ 1.1 Mb/s 30 fps · lost 0"),
            (30, "connected · lost 0"), (9, "connected"), (5, "conn…"), (0, ""),
        ]
    )
    func fitted(columns: Int, expected: String) {
        #expect(Self.call.fitted(to: columns) == expected)
        #expect(TerminalText(expected).columns <= columns)
    }

    @Test("A text wider than the terminal ends in an ellipsis, and control characters are removed")
    func sentence() {
        #expect(LiveText("waiting\u{1B}[2J for a peer").fitted(to: 12) == "waiting[2J …")
        #expect(LiveText("漢字漢字").fitted(to: 8) == "漢字漢字")
    }
}
