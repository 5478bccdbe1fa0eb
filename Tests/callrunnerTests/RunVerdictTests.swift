import AppFlow
import Basics
import CallCore
import Testing

@testable import CallMedia
@testable import callrunner

@Suite("Result of a run")
struct RunVerdictTests {
    private static let both: Set<MediaKind> = [.audio, .video]

    private func verdict(
        expected: Set<MediaKind> = both,
        frames: Int = 0,
        lasting span: Duration = .seconds(4),
        duration: Duration? = nil,
        wasHeld: Bool = true,
        missing: [RunVerdict.MissingFile.Kind] = []
    ) -> Diagnosis? {
        var outcome = RunOutcome()
        outcome.wasHeld = wasHeld
        return RunVerdict(
            outcome: outcome,
            call: CallReception(expected: expected, frames: frames, span: span),
            missing: missing.map { RunVerdict.MissingFile(path: "a.mkv", kind: $0) },
            duration: duration
        ).diagnosis
    }

    @Test(
        "A run passes if its call received media or expected none",
        arguments: [(both, 1), ([], 0), ([.audio], 1)] as [(Set<MediaKind>, Int)]
    )
    func good(expected: Set<MediaKind>, frames: Int) {
        #expect(verdict(expected: expected, frames: frames) == nil)
    }

    @Test("A run whose call received none of the expected media fails, even if files are missing too")
    func nothingReceived() {
        for missing in [[], [.recording([.remote]), .snapshot]] as [[RunVerdict.MissingFile.Kind]] {
            let failure = verdict(missing: missing)
            #expect(failure?.exit == .mediaFailed && failure?.code == "nothing-received")
        }
        #expect(verdict(expected: [.audio])?.message.contains("to send audio,") == true)
    }

    @Test(
        "A call shorter than 2 s passes without media, unless --duration requested such a short call",
        arguments: [
            (200, nil, false), (200, 200, true), (200, 5000, false), (2000, nil, true), (1999, nil, false),
        ]
            as [(Int, Int?, Bool)]
    )
    func shortCalls(span: Int, duration: Int?, isJudged: Bool) {
        let failure = verdict(
            lasting: .milliseconds(span),
            duration: duration.map { .milliseconds($0) }
        )
        #expect((failure != nil) == isJudged)
    }

    @Test(
        "A run fails as a recording failure if a requested file does not exist",
        arguments: [.recording([.remote]), .recording([.local]), .recording([.local, .remote]), .snapshot]
            as [RunVerdict.MissingFile.Kind]
    )
    func nothingKept(kind: RunVerdict.MissingFile.Kind) {
        for (expected, frames) in [([], 0), (Self.both, 7)] as [(Set<MediaKind>, Int)] {
            let failure = verdict(expected: expected, frames: frames, missing: [kind])
            #expect(failure?.exit == .recordingFailed && failure?.code == "nothing-recorded")
            #expect(failure?.message.contains("a.mkv") == true && failure?.hint.isEmpty == false)
        }
        // This applies to calls of any length.
        #expect(verdict(lasting: .zero, missing: [kind])?.exit == .recordingFailed)
        #expect(verdict(wasHeld: false, missing: [kind])?.message.contains("no call") == true)
    }

    @Test("The media counted for the last call includes all of its attempts and no other call")
    func lastCall() {
        var totals = MediaTotals()
        var traffic = TrafficCounters.Totals()
        traffic.received[.video] = TrafficCounters.Flow(frames: 3)
        totals.add(traffic, lost: 0)
        totals.add(expected: [.video], for: .seconds(2))
        totals.add(TrafficCounters.Totals(), lost: 0)
        totals.add(expected: [.audio], for: .seconds(3))
        totals.callEnded()
        #expect(totals.lastCall == CallReception(expected: Self.both, frames: 3, span: .seconds(5)))
        totals.add(TrafficCounters.Totals(), lost: 0)
        totals.add(expected: [.video], for: .seconds(1))
        totals.callEnded()
        #expect(totals.lastCall == CallReception(expected: [.video], frames: 0, span: .seconds(1)))
    }
}
