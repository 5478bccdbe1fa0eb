import CallCore
import Testing

/// The rules for a callee whose user is asked whether to answer.
@Suite("Call state machine, asking a person")
struct CallStateMachineAskingTests {
    @Test("A decline is sent to the caller")
    func decline() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        #expect(driver.log.first == .send(.ringing(offerID: "one")))
        driver.handle(.command(.decline))
        #expect(driver.log.contains(.send(.hangup(offerID: "one", reason: "declined"))))
        #expect(driver.end == .declined(by: .us))
    }

    @Test("An undecided user is asked for ten minutes")
    func undecided() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        let timer = try #require(driver.timer(.ring))
        #expect(driver.log.contains(.start(timer, .seconds(600))))
        driver.handle(.timer(timer))
        #expect(driver.end == .timedOut(.answer))
        #expect(driver.summary?.message == "the call from Ann was not answered here within 10 m")
        #expect(driver.hangUps == 1)
    }

    @Test("Ringing continues for a newer offer, and accepting answers that one")
    func ringing() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        driver.hear(.message(.offer(sdp: CallDriver.sdp("two"))))
        #expect(driver.log.contains(.send(.ringing(offerID: "two"))))
        let newest = try SessionOffer(parsing: CallDriver.sdp("two"))
        #expect(
            driver.handle(.command(.accept)).last
                == .begin(AttemptStateMachine(role: .callee), first: [.offerReceived(newest)])
        )
    }

    @Test("The user is asked for 30 s more if the caller is missing after our reconnection")
    func callerMissing() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        driver.rejoin()
        driver.hear(.roomState([]))
        // The session disarms that timer when our socket comes back again.
        driver.rejoin()
        driver.room.disarm(.silence)
        driver.hear(.roomState([]))
        #expect(driver.end == nil)
        let timer = try #require(driver.timer(.silence))
        #expect(driver.room.isArmed(timer))
        driver.handle(.timer(timer))
        #expect(driver.end == .peerLeft)
    }

    @Test("The user is still asked after the caller has rejoined")
    func callerBack() throws {
        var driver = try CallDriver.callee { $0.autoAnswers = false }
        driver.rejoin()
        driver.hear(.roomState([]))
        driver.hear(.peerJoined(CallDriver.ann))
        driver.handle(.timer(try #require(driver.timer(.silence))))
        #expect(driver.end == nil)
    }
}
