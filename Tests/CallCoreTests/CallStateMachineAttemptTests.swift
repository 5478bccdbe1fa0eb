import CallCore
import Testing

/// The rules for consecutive attempts.
@Suite("Call state machine, consecutive attempts")
struct CallStateMachineAttemptTests {
    @Test("Ringing has a time limit even if an earlier attempt was answered")
    func ringsAgain() throws {
        var driver = CallDriver(.caller, .dial(CallDriver.bob))
        driver.attempt(.offering, .awaitingAnswer, .ringing, .connecting)
        let first = try #require(driver.timer(.ring))
        driver.attemptEnds(.timedOut(.connection))
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .ringing)
        let second = try #require(driver.timer(.ring))
        #expect(first != second)
        driver.handle(.timer(second))
        driver.attemptEnds()
        #expect(driver.end == .timedOut(.answer))
    }

    @Test("An earlier attempt's ring timer does not end the call, and the next ringing starts a new timer")
    func ringTimerAgain() throws {
        var driver = CallDriver.connectedCaller()
        driver.attemptEnds(.stalled)
        driver.handle(.timer(try #require(driver.timer(.retry))))
        driver.attempt(.offering, .awaitingAnswer, .ringing)
        let early = try #require(driver.timer(.ring))
        driver.hear(.peerJoined(CallDriver.bob))
        driver.attemptEnds()
        driver.attempt(.offering, .awaitingAnswer)
        driver.handle(.timer(early))
        #expect(driver.end == nil)
        driver.attempt(.ringing)
        #expect(driver.timer(.ring) != early)
    }

    @Test("A permanent media failure is reported as the end of a call even if the peer has left as well")
    func failureBesideLeaving() {
        let failure = CallMediaFailure.nothingToCarry("nothing flows")
        for isHopeless in [true, false] {
            var driver = CallDriver(.caller, .dial(CallDriver.bob))
            driver.attempt(.offering, .awaitingAnswer)
            driver.hear(.peerLeft(CallDriver.bob))
            driver.attemptEnds(.failed(isHopeless ? failure : .iceFailed(detail: "")))
            #expect(driver.end == (isHopeless ? .media(failure) : .peerLeft))
        }
    }

    @Test("The summary of a call that ended between two attempts does not count the second one")
    func countsBegun() {
        var driver = CallDriver(.caller, .dial(CallDriver.bob))
        driver.attempt(.offering, .awaitingAnswer, .connecting)
        let actions = driver.attemptEnds(.timedOut(.connection))
        let coming = actions.compactMap { action -> Int? in
            if case .report(.state(.retrying(let retry))) = action { retry.attempt } else { nil }
        }
        #expect(coming == [2])
        driver.handle(.command(.hangUp))
        #expect(driver.summary?.attempt == 1)
    }

    @Test("The summary of a call that ended while an attempt was replaced does not count the replacement")
    func countsBegunWhileReplacing() {
        var driver = CallDriver(.caller, .dial(CallDriver.bob))
        driver.attempt(.offering, .awaitingAnswer)
        driver.hear(.peerJoined(CallDriver.bob))
        driver.handle(.command(.hangUp))
        driver.attemptEnds()
        #expect(driver.begun == ["1"])
        #expect(driver.summary?.attempt == 1)
    }

    @Test("Each new offer to a callee begins an attempt with the next number")
    func calleeCounts() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering)
        driver.attemptEnds(.timedOut(.description))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        #expect(driver.begun == ["1", "2"])
        driver.attemptEnds(.timedOut(.description))
        driver.handle(.command(.hangUp))
        #expect(driver.summary?.attempt == 2)
    }

    @Test("An offer for the next call is dropped if its caller leaves before that call begins")
    func nextCallerLeft() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.handle(.command(.hangUp))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        driver.hear(.peerLeft(CallDriver.ann))
        driver.attemptEnds()
        driver.hear(.message(.hangup(offerID: "one", reason: nil)))
        #expect(driver.course.outcome != nil && driver.course.outcome?.nextOffer == nil)
    }
}
