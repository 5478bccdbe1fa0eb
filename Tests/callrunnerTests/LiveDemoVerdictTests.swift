import Basics
import LiveCore
import Testing

@testable import callrunner

@Suite("The verdict of the demo of a live stream")
struct LiveDemoVerdictTests {
    /// A demo of two seconds that worked, changed by `change`.
    private func verdict(_ change: (inout LiveDemoVerdict) -> Void = { _ in }) -> LiveDemoVerdict {
        var verdict = LiveDemoVerdict(duration: .seconds(2))
        (verdict.firstFrame, verdict.frames) = (.milliseconds(146), 60)
        verdict.playback.state = .playing
        change(&verdict)
        return verdict
    }

    @Test("A stream that plays to the end has no fault")
    func works() { #expect(verdict().fault == nil) }

    @Test("A failure, a lack of frames, or a stream that freezes or does not play to the end is a fault")
    func faults() {
        let failure = LiveFailure(.unreachable, "the server was not reached")
        #expect(verdict { $0.failure = failure }.fault == "the server was not reached")
        #expect(verdict { $0.firstFrame = nil }.fault == "no frame was shown")
        #expect(verdict { $0.frames = 0 }.fault == "no frame was shown")
        #expect(verdict { $0.stoodStill = .seconds(1) }.fault == "playback stalled for 1 s of 2 s")
        #expect(verdict { $0.stoodStill = .milliseconds(300) }.fault == nil)
        #expect(verdict { $0.playback.state = .buffering }.fault == "the stream did not play to the end")
    }

    @Test("A demo that the user ends has no fault")
    func incomplete() {
        let ended = verdict {
            $0.isIncomplete = true
            $0.frames = 0
            $0.failure = LiveFailure(.timedOut, "no frame has arrived")
        }
        #expect(ended.fault == nil)
    }

    @Test("The summary contains the measured values")
    func fields() {
        let fields = verdict { $0.playback.progress.latency = .milliseconds(2400) }.fields(exit: 0)
        #expect(fields["exit"] == .int(0) && fields["frames"] == .int(60))
        #expect(fields["interruptions"] == .int(0))
        #expect(fields["firstFrameMs"] == .int(146) && fields["latency"] == .number(2.4))
        #expect(fields["faults"] == .array([]))
    }
}
