import Basics
import LiveCore
import MediaKit
import Testing

@testable import LiveMedia

@Suite("The messages between a player and its process", .timeLimit(.minutes(4)))
struct PlayerMessageTests {
    private let options = LiveOptions(
        audio: LiveAudio(volume: 70, isMuted: true),
        isPaused: true,
        loops: false
    )

    @Test("Every request is encoded on one line and decoded unchanged")
    func requests() throws {
        let setup = PlayerSetup(
            address: .file("a “film”\n.mp4"),
            options: options,
            speaker: nil,
            takesSelectedSpeaker: true,
            hasVideo: true,
            view: PlayerView(isSeen: true, height: 480)
        )
        let requests: [PlayerRequest] = [
            .open(setup), .look(PlayerView(isSeen: false, height: nil)), .apply(options), .seek(.liveEdge),
            .seek(.position(.milliseconds(1500))),
        ]
        for request in requests {
            let line = try request.line()
            #expect(line.firstIndex(of: 10) == line.count - 1)
            #expect(try PlayerRequest(line: line.dropLast()) == request)
        }
    }

    @Test("Every report is encoded on one line and decoded unchanged")
    func reports() throws {
        let size = Resolution(width: 1280, height: 720)
        let format = LiveFormat(resolution: size, codec: "H264", isLive: true)
        let progress = LiveProgress(
            position: .seconds(7200),
            duration: .seconds(9),
            latency: .milliseconds(-3),
            behind: .zero,
            segment: .seconds(1)
        )
        let events: [LiveStreamEvent] = [
            .started(format), .changed(LiveFormat(resolution: nil, codec: "", isLive: false)), .stalled,
            .resumed,
            .progress(progress), .progress(LiveProgress(position: .zero)), .looped, .ended,
            .failed(LiveFailure(.timedOut, "line\nfeed")),
        ]
        let reports: [PlayerReport] =
            events.map { .event($0) } + [
                .opened, .alive, .refused(LiveFailure(.notMedia, "?")),
            ]
        for report in reports {
            let line = try report.line()
            #expect(line.firstIndex(of: 10) == line.count - 1)
            #expect(try PlayerReport(line: line.dropLast()) == report)
        }
    }

    private static let implausible: [PlayerReport] = [
        .event(.progress(LiveProgress(position: Duration(attoseconds: .max)))),
        .event(.progress(LiveProgress(duration: Duration(attoseconds: .min)))),
        .event(.progress(LiveProgress(latency: .seconds(Int64.max)))),
        .event(.progress(LiveProgress(behind: Duration(attoseconds: .max), segment: .zero))),
        .event(.progress(LiveProgress(segment: .seconds(Int64.min)))),
        .event(.started(format(width: Int.min, height: 1))),
        .event(.changed(format(width: 1, height: 65_536))),
        .event(.started(format(codec: String(repeating: "A", count: 2001)))),
        .event(.failed(LiveFailure(.damaged, String(repeating: "B", count: 2001)))),
        .refused(LiveFailure(.damaged, "e" + String(repeating: "\u{301}", count: 60_000))),
    ]

    private static func format(width: Int = 1, height: Int = 1, codec: String = "H264") -> LiveFormat {
        LiveFormat(resolution: Resolution(width: width, height: height), codec: codec, isLive: true)
    }

    @Test("Reports with values out of range are implausible", arguments: implausible)
    func implausibleReports(_ report: PlayerReport) { #expect(!report.isPlausible) }

    @Test("Overlong texts in a report are shortened to a plausible length", arguments: implausible.suffix(3))
    func shortened(_ report: PlayerReport) {
        #expect(report.shortened.isPlausible)
        #expect(report.shortened.shortened == report.shortened)
    }

    @Test("The reports of a player are limited to a burst of 1,000 and a steady rate")
    func rate() {
        var allowance = ReportAllowance()
        var now = ContinuousClock.now
        let moment = (0...1000).map { _ in allowance.take(at: now) }
        #expect(moment == Array(repeating: true, count: 1000) + [false])
        let always = (0..<2000).map { _ in
            now += .milliseconds(20)
            return allowance.take(at: now)
        }
        #expect(!always.contains(false))
    }
}
