import CallCore
import Testing

/// The rules for a callee whose user is asked whether to answer.
@Suite("Call state machine, asking a person")
struct CallStateMachineAskingTests {
    @Test("A decline is sent to the caller")
    func decline() throws {
        var stage = try CourseStage.callee { $0.autoAnswers = false }
        #expect(stage.log.first == .send(.ringing(offerID: "one")))
        stage.handle(.command(.decline))
        #expect(stage.log.contains(.send(.hangup(offerID: "one", reason: "declined"))))
        #expect(stage.end == .declined(by: .us))
    }

    @Test("An undecided user is asked for ten minutes")
    func undecided() throws {
        var stage = try CourseStage.callee { $0.autoAnswers = false }
        let timer = try #require(stage.timer(.ring))
        #expect(stage.log.contains(.start(timer, .seconds(600))))
        stage.handle(.timer(timer))
        #expect(stage.end == .timedOut(.answer))
        #expect(stage.summary?.message == "the call from Ann was not answered here within 10 m")
        #expect(stage.hangUps == 1)
    }

    @Test("Ringing continues for a newer offer, and accepting answers that one")
    func ringing() throws {
        var stage = try CourseStage.callee { $0.autoAnswers = false }
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        #expect(stage.log.contains(.send(.ringing(offerID: "two"))))
        let newest = try SessionOffer(parsing: CourseStage.sdp("two"))
        #expect(
            stage.handle(.command(.accept)).last
                == .begin(AttemptStateMachine(role: .callee), first: [.offerReceived(newest)])
        )
    }

    @Test("The user is asked for 30 s more if the caller is missing after our reconnection")
    func callerMissing() throws {
        var stage = try CourseStage.callee { $0.autoAnswers = false }
        stage.rejoin()
        stage.hear(.roomState([]))
        // The session disarms that timer when our socket comes back again.
        stage.rejoin()
        stage.room.disarm(.silence)
        stage.hear(.roomState([]))
        #expect(stage.end == nil)
        let timer = try #require(stage.timer(.silence))
        #expect(stage.room.isArmed(timer))
        stage.handle(.timer(timer))
        #expect(stage.end == .peerLeft)
    }

    @Test("The user is still asked after the caller has rejoined")
    func callerBack() throws {
        var stage = try CourseStage.callee { $0.autoAnswers = false }
        stage.rejoin()
        stage.hear(.roomState([]))
        stage.hear(.peerJoined(CourseStage.ann))
        stage.handle(.timer(try #require(stage.timer(.silence))))
        #expect(stage.end == nil)
    }
}
