import CallCore
import CallFlow
import Testing

@testable import CallMedia
@testable import callrunner

@Suite("The demo's verdict")
struct DemoVerdictTests {
    private func result(pictures: Int = 150, sound: Int = 250, isSaved: Bool = true) -> CallRun.Result {
        var totals = MediaTotals()
        totals.received = [.video: pictures, .audio: sound]
        let saved = SavedRecording(path: "a.mkv", bytes: 1, seconds: 5, tracks: ["H264", "OPUS"])
        return CallRun.Result(outcome: RunOutcome(), totals: totals, saved: isSaved ? [saved] : [])
    }

    private func faults(_ caller: CallRun.Result, _ callee: CallRun.Result) -> [String] {
        DemoVerdict(caller: caller, callee: callee, wanted: .seconds(5)).faults.map(\.message)
    }

    @Test("A call whose pictures, sound and recordings came is good")
    func good() {
        #expect(faults(result(), result()).isEmpty)
    }

    @Test("Too few pictures, no sound and no recording are told, each with its side")
    func faulty() {
        #expect(faults(result(pictures: 100), result()) == ["caller: 100 pictures came, 135 were due"])
        #expect(faults(result(), result(sound: 0)) == ["callee: no sound came"])
        #expect(faults(result(isSaved: false), result()) == ["caller: nothing was recorded"])
    }
}
