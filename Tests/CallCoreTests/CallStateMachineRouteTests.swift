import CallCore
import Testing

/// The rules for an attempt that does not find the path that the previous one found at once.
@Suite("Call state machine, path to the peer")
struct CallStateMachineRouteTests {
    private static func times(ice: Int) -> CallSetup {
        var times = CallSetup()
        (times.answer, times.ice, times.dtls) = (10, ice, ice + 10)
        return times
    }

    /// Creates a caller's second attempt, after one that found its path at `ice` milliseconds and ended.
    private static func secondAttempt(ice: Int = 80, end: AttemptEnd = .stalled) throws -> CourseStage {
        var stage = CourseStage.connectedCaller { $0.retries = -1 }
        stage.attemptEnds(end, times(ice: ice))
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .connecting)
        return stage
    }

    private func patience(_ stage: CourseStage) -> [Duration] {
        stage.log.compactMap { action in
            if case .start(let timer, let span) = action, timer.kind == .path { span } else { nil }
        }
    }

    @Test("An attempt without a path is replaced under its number, five times, each after a longer wait")
    func renewed() throws {
        var stage = try Self.secondAttempt()
        for _ in 1...5 {
            #expect(stage.handle(.timer(try #require(stage.timer(.path)))) == [.tell(.stop)])
            stage.attemptEnds()
            stage.attempt(.offering, .awaitingAnswer, .connecting)
        }
        #expect(stage.begun == ["1"] + Array(repeating: "2", count: 6))
        let spans: [Duration] = [2500, 3750, 5000, 6250, 7500].map { .milliseconds($0) }
        #expect(patience(stage) == spans)
    }

    @Test("An attempt that has found its path is left alone")
    func found() throws {
        var stage = try Self.secondAttempt()
        let timer = try #require(stage.timer(.path))
        #expect(stage.room.isArmed(timer))
        stage.handle(.attempt(.media(.iceConnected)))
        #expect(!stage.room.isArmed(timer))
    }

    @Test("The count of replacements restarts once media has flowed")
    func countedAnew() throws {
        var stage = try Self.secondAttempt()
        stage.handle(.timer(try #require(stage.timer(.path))))
        stage.attemptEnds()
        stage.attempt(.offering, .awaitingAnswer, .connecting, .connected)
        stage.attemptEnds(.stalled, Self.times(ice: 80))
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(patience(stage) == [2500, 3750, 2500].map { .milliseconds($0) })
    }

    @Test("A long path, a lost address or a first attempt has its whole deadline")
    func patient() throws {
        #expect(patience(try Self.secondAttempt(ice: 1200)).isEmpty)
        #expect(patience(try Self.secondAttempt(end: .addressLost("192.0.2.1"))).isEmpty)
        var first = CourseStage(.caller, .dial(CourseStage.bob))
        first.attempt(.offering, .awaitingAnswer, .connecting)
        #expect(patience(first).isEmpty)
    }

    @Test("A callee leaves replacing an attempt without a path to its caller")
    func callee() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        stage.attemptEnds(.stalled, Self.times(ice: 80))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        stage.attempt(.answering, .connecting)
        #expect(patience(stage).isEmpty)
    }
}
