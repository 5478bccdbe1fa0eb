import AppFlow
import Basics
import CallCore
import SocketIO
import Testing

@testable import CallMedia
@testable import MediaKit
@testable import callrunner

@Suite("Result of the demo call")
struct DemoVerdictTests {
    private typealias Counts = [MediaKind: Int]

    private static let whole: Counts = [.video: 150, .audio: 250]

    private func result(
        came: Counts = whole,
        sent: Counts = whole,
        sends: Set<MediaKind> = [.video, .audio],
        isSaved: Bool = true
    ) -> CallRun.Result {
        var totals = MediaTotals()
        (totals.received, totals.sent, totals.lost) = (came, sent, 2)
        let saved = SavedRecording(path: "a.mkv", bytes: 1, seconds: 5, tracks: ["H264", "OPUS"])
        return CallRun.Result(
            outcome: RunOutcome(),
            totals: totals,
            saved: isSaved ? [saved] : [],
            sends: sends
        )
    }

    private func faults(_ caller: CallRun.Result, _ callee: CallRun.Result) -> [String] {
        DemoVerdict(caller: caller, callee: callee).faults.map(\.message)
    }

    @Test("A demo passes if both sides receive video and audio and save their recordings")
    func good() {
        #expect(faults(result(), result()).isEmpty)
    }

    @Test("Missing video, audio and recordings are reported with the side, caller or callee")
    func faulty() {
        #expect(
            faults(result(came: [.video: 100, .audio: 250]), result()) == [
                "caller: received 100 of 150 video frames"
            ]
        )
        #expect(faults(result(), result(came: [.video: 150])) == ["callee: received no audio"])
        #expect(faults(result(isSaved: false), result()) == ["caller: nothing was recorded"])
    }

    @Test(
        "A side must receive only the media that the other side sent",
        arguments: [
            ([.video: 116, .audio: 250], [.video, .audio]), ([.video: 120], [.video]),
            ([.audio: 250], [.audio]),
        ] as [([MediaKind: Int], Set<MediaKind>)]
    )
    func otherSources(flow: [MediaKind: Int], sends: Set<MediaKind>) {
        let side = result(came: flow, sent: flow, sends: sends)
        #expect(faults(side, side).isEmpty)
    }

    @Test("A side whose source sends no audio is reported, and not the side that receives none")
    func silentSource() {
        let mute = result(sent: [.video: 150])
        #expect(faults(mute, result(came: [.video: 150])) == ["caller: sent no audio"])
    }

    @Test("Frames in transit at the end of the call do not count as missing")
    func shortCall() {
        let short = result(came: [.video: 24, .audio: 50], sent: [.video: 34, .audio: 60])
        #expect(faults(short, short).isEmpty)
    }

    @Test("A demo whose standard output is closed early passes only without a fault")
    func withoutReader() async {
        let (console, events) = (Console(level: .silent), EventWriter(isEnabled: false))
        let cut = result(isSaved: false)
        for (side, interruption, exit) in [
            (cut, .readerLeft, 141), (cut, .interrupt, 130), (cut, nil, 3), (result(), .readerLeft, 0),
        ] as [(CallRun.Result, Interruption?, Int32)] {
            let verdict = DemoVerdict(caller: result(), callee: side)
            #expect(await verdict.report(console, events, after: interruption) == exit)
        }
    }

    @Test("The demo's summary contains the received and sent media, the faults and the exit code")
    func summary() {
        let fields = DemoVerdict(caller: result(), callee: result()).fields(exit: 0)
        #expect(fields["received"] == ["video": 150, "audio": 250, "lost": 2])
        #expect(fields["sent"] == ["video": 150, "audio": 250])
        #expect(fields["faults"] == [])
        #expect(fields["exit"] == 0)
    }
}
