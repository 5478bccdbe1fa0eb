import CallCore
import Testing

/// The rules for consecutive attempts.
@Suite("Call state machine, consecutive attempts")
struct CallStateMachineAttemptTests {
    @Test("Ringing in an attempt after an answered one has a time limit, too")
    func ringsAgain() throws {
        var stage = CourseStage(.caller, .dial(CourseStage.bob))
        stage.attempt(.offering, .awaitingAnswer, .ringing, .connecting)
        let first = try #require(stage.timer(.ring))
        stage.attemptEnds(.timedOut(.connection))
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .ringing)
        let second = try #require(stage.timer(.ring))
        #expect(first != second)
        stage.handle(.timer(second))
        stage.attemptEnds()
        #expect(stage.end == .timedOut(.answer))
    }

    @Test("An expired ring timer is started again by the next ringing message")
    func ringTimerAgain() throws {
        var stage = CourseStage.connectedCaller()
        stage.attemptEnds(.stalled)
        stage.handle(.timer(try #require(stage.timer(.retry))))
        stage.attempt(.offering, .awaitingAnswer, .ringing)
        let early = try #require(stage.timer(.ring))
        stage.hear(.peerJoined(CourseStage.bob))
        stage.attemptEnds()
        stage.attempt(.offering, .awaitingAnswer)
        stage.handle(.timer(early))
        #expect(stage.end == nil)
        stage.attempt(.ringing)
        #expect(stage.timer(.ring) != early)
    }

    @Test("A leave of the peer does not hide the permanent failure of the attempt")
    func failureBesideLeaving() {
        let failure = MediaFailure.nothingToCarry("nothing flows")
        for isHopeless in [true, false] {
            var stage = CourseStage(.caller, .dial(CourseStage.bob))
            stage.attempt(.offering, .awaitingAnswer)
            stage.hear(.peerLeft(CourseStage.bob))
            stage.attemptEnds(.failed(isHopeless ? failure : .iceFailed(detail: "")))
            #expect(stage.end == (isHopeless ? .media(failure) : .peerLeft))
        }
    }

    @Test("The summary of a call ended between two attempts counts only those that began")
    func countsBegun() {
        var stage = CourseStage(.caller, .dial(CourseStage.bob))
        stage.attempt(.offering, .awaitingAnswer, .connecting)
        let told = stage.attemptEnds(.timedOut(.connection))
        let coming = told.compactMap { action -> Int? in
            if case .report(.state(.retrying(let retry))) = action { retry.attempt } else { nil }
        }
        #expect(coming == [2])
        stage.handle(.command(.hangUp))
        #expect(stage.summary?.attempt == 1)
    }

    @Test("The summary of a call ended while replacing an attempt counts only those that began")
    func countsBegunWhileReplacing() {
        var stage = CourseStage(.caller, .dial(CourseStage.bob))
        stage.attempt(.offering, .awaitingAnswer)
        stage.hear(.peerJoined(CourseStage.bob))
        stage.handle(.command(.hangUp))
        stage.attemptEnds()
        #expect(stage.begun == ["1"])
        #expect(stage.summary?.attempt == 1)
    }

    @Test("A callee's attempts are numbered as they begin")
    func calleeCounts() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering)
        stage.attemptEnds(.timedOut(.description))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        #expect(stage.begun == ["1", "2"])
        stage.attemptEnds(.timedOut(.description))
        stage.handle(.command(.hangUp))
        #expect(stage.summary?.attempt == 2)
    }

    @Test("An offer for the next call is dropped if its caller leaves before that call")
    func nextCallerLeft() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        stage.handle(.command(.hangUp))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        stage.hear(.peerLeft(CourseStage.ann))
        stage.attemptEnds()
        stage.hear(.message(.hangup(offerID: "one", reason: nil)))
        #expect(stage.course.outcome != nil && stage.course.outcome?.nextOffer == nil)
    }
}
