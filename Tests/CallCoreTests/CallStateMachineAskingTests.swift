import CallCore
import Testing

/// The rules for a callee whose user is asked whether to answer.
@Suite("Call state machine, calls that ring until the user decides")
struct CallStateMachineAskingTests {
    @Test("A decline by the user is sent to the caller as a hangup")
    func decline() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        #expect(driver.log.first == .send(.ringing(offerID: "one")))
        driver.handle(.command(.decline))
        #expect(driver.log.contains(.send(.hangup(offerID: "one", reason: "declined"))))
        #expect(driver.end == .declined(by: .us))
    }

    @Test("A call that the user neither accepts nor declines rings for ten minutes")
    func undecided() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        let timer = try #require(driver.timer(.ring))
        #expect(driver.log.contains(.start(timer, .seconds(600))))
        driver.handle(.timer(timer))
        #expect(driver.end == .timedOut(.answer))
        #expect(driver.summary?.message == "the call from Ann was not answered here within 10 m")
        #expect(driver.hangUps == 1)
    }

    @Test("A newer offer continues the ringing, and accepting answers the newer offer")
    func ringing() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        #expect(driver.log.contains(.send(.ringing(offerID: "two"))))
        let newest = try SessionOffer(parsing: CallDriver.sdp("two"))
        #expect(
            driver.handle(.command(.accept)).last
                == .begin(AttemptStateMachine(role: .callee), first: [.offerReceived(newest)])
        )
    }

    @Test("If the caller is absent after our reconnection, the call rings for 30 s more")
    func callerMissing() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        driver.rejoin()
        driver.hear(.roomState([]))
        // The session stops the `silence` timer whenever our socket has reconnected.
        driver.rejoin()
        driver.room.disarm(.silence)
        driver.hear(.roomState([]))
        #expect(driver.end == nil)
        let timer = try #require(driver.timer(.silence))
        #expect(driver.room.isArmed(timer))
        driver.handle(.timer(timer))
        #expect(driver.end == .peerLeft)
    }

    @Test("The call continues to ring after the caller has rejoined")
    func callerBack() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        driver.rejoin()
        driver.hear(.roomState([]))
        driver.hear(.peerJoined(CallDriver.ann))
        driver.handle(.timer(try #require(driver.timer(.silence))))
        #expect(driver.end == nil)
    }
}
