import Basics
import LiveCore
import Testing

@testable import LiveMedia

@Suite("The messages between a player and its process", .timeLimit(.minutes(1)))
struct PlayerMessageTests {
    private let options = LiveOptions(
        audio: LiveAudio(volume: 70, isMuted: true),
        isPaused: true,
        loops: false
    )

    @Test("Every request is read as it was written, on one line")
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

    @Test("Every report is read as it was written, on one line")
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
}
