import CallCore
import Testing

/// The rules by which a call begins, replaces and ends its attempts.
@Suite("Call state machine")
struct CallStateMachineTests {
    @Test("A leave of the peer ends the call even while media flows")
    func peerLeft() {
        var driver = CallDriver.connectedCaller()
        #expect(driver.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))
        driver.attemptEnds()
        #expect(driver.end == .peerLeft)
        #expect(driver.hangUps == 0)
    }

    @Test("The end of the media source ends the call successfully and sends a hangup to the peer")
    func sourceEnded() {
        var driver = CallDriver.connectedCaller { $0.leavesRoom = false }
        #expect(driver.handle(.attempt(.media(.sourceEnded("film.mp4")))).contains(.forward(.stop)))
        driver.attemptEnds()
        #expect(driver.end == .sourceEnded("film.mp4"))
        #expect(driver.end?.reason == "hung-up")
        #expect(driver.hangUps == 1)
    }

    @Test("The leave of a third participant does not end the call")
    func thirdPerson() {
        var driver = CallDriver.connectedCaller()
        driver.hear(.peerLeft(Participant(username: "Dora", role: .callee)))
        driver.hear(.peerLeft(Participant(username: "Bob", role: .caller)))
        #expect(driver.course.outcome == nil && driver.end == nil)
        driver.hear(.peerJoined(CallDriver.bob))
        driver.hear(.peerLeft(CallDriver.bob))
        #expect(!driver.log.contains(.forward(.stop)))
    }

    @Test("Any leave ends the call if the peer's name is unknown")
    func namelessPeer() throws {
        var driver = CallDriver(.callee, .incoming(try CallDriver.offer("one"), from: nil))
        driver.hear(.peerLeft(Participant(username: "Zoe", role: nil)))
        driver.attemptEnds()
        #expect(driver.end == .peerLeft)
    }

    @Test("A peer that joins again gets a new offer unless media flows")
    func rejoined() {
        var driver = CallDriver.connectedCaller()
        driver.hear(.peerJoined(CallDriver.bob))
        #expect(driver.attempts == 1)

        var waiting = CallDriver(.caller, .dial(CallDriver.bob))
        waiting.attempt(.offering, .awaitingAnswer)
        waiting.hear(.peerJoined(CallDriver.bob))
        waiting.attemptEnds()
        #expect(waiting.attempts == 2)
    }

    @Test("A new offer replaces even a connected attempt, and its candidates belong to the new attempt")
    func newOffer() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        #expect(driver.hear(.message(.offer(.init(CallDriver.sdp("two"))))) == [.forward(.stop)])
        let candidate = ICECandidate(candidate: "candidate:1")
        driver.hear(.message(.candidate(candidate)))
        let second = try SessionOffer(parsing: CallDriver.sdp("two"))
        #expect(
            driver.attemptEnds().last
                == .begin(
                    AttemptStateMachine(role: .callee),
                    first: [.offerReceived(second), .candidateReceived(candidate)]
                )
        )
    }

    @Test("A repeated current offer is passed to the attempt, and a repeated older offer is ignored")
    func knownOffers() throws {
        var driver = try CallDriver.callee()
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        driver.attemptEnds()
        #expect(driver.hear(.message(.offer(.init(CallDriver.sdp("two"))))).count == 1)
        let before = driver.attempts
        var room = driver.room
        _ = driver.course.handle(.room(.message(.offer(.init(CallDriver.sdp("one")))), []), &room)
        #expect(driver.attempts == before)
    }

    @Test("A caller ignores offers")
    func glare() {
        var driver = CallDriver.connectedCaller()
        #expect(driver.hear(.message(.offer(.init(CallDriver.sdp("theirs"))))).isEmpty)
    }

    @Test("An invalid offer is ignored while connected, but counts as a failed attempt after a stall")
    func garbage() throws {
        var driver = try CallDriver.callee { $0.retries = 1 }
        driver.attempt(.answering, .connecting, .connected)
        #expect(driver.hear(.message(.offer(.init("garbage")))).isEmpty)
        driver.attemptEnds(.stalled)
        driver.hear(.message(.offer(.init("garbage"))))
        #expect(driver.end == nil)
        driver.hear(.message(.offer(.init("garbage"))))
        guard case .media(.badDescription) = driver.end else {
            Issue.record("ended with \(String(describing: driver.end))")
            return
        }
    }

    @Test("A valid offer that follows an unusable one is answered")
    func offerAfterUnusable() {
        let failure = CallMediaFailure.badDescription("x")
        var driver = CallDriver(.callee, .unusable(failure, from: CallDriver.ann))
        #expect(driver.attempts == 0 && driver.end == nil)
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        #expect(driver.attempts == 1)
    }

    @Test(
        "A call whose only offer is unusable ends at a timeout, the retry limit or the caller's leave"
    )
    func unusableOffer() {
        let opening = CallStart.unusable(.badDescription("x"), from: CallDriver.ann)
        let end = CallEnd.media(.badDescription("x"))
        #expect(CallDriver(.callee, opening) { $0.retries = 0 }.end == end)
        var late = CallDriver(.callee, opening)
        var timer: RoomTimer?
        for case .start(let started, .seconds(12)) in late.log { timer = started }
        timer.map { _ = late.handle(.timer($0)) }
        #expect(late.end == end)
        var left = CallDriver(.callee, opening)
        left.hear(.peerLeft(CallDriver.ann))
        #expect(left.end == .peerLeft)
    }

    @Test("An SDP description that the media session refuses does not end the call", arguments: Role.allCases)
    func refusedDescription(role: Role) throws {
        var driver = role == .caller ? CallDriver(.caller, .dial(CallDriver.bob)) : try CallDriver.callee()
        driver.attempt(role == .caller ? .connecting : .answering)
        driver.attemptEnds(.failed(.badDescription("x")))
        #expect(driver.end == nil)
    }

    @Test("A hangup is answered only once, and is ignored if it names another offer")
    func hangUp() {
        var driver = CallDriver.connectedCaller()
        #expect(driver.hear(.message(.hangup(offerID: "another", reason: nil))).isEmpty)
        driver.hear(.message(.hangup(offerID: "mine", reason: nil)))
        driver.hear(.message(.hangup(offerID: "mine", reason: nil)))
        driver.attemptEnds()
        #expect(driver.end == .hungUp(by: .peer))
        #expect(driver.hangUps == 1)
        #expect(driver.course.outcome != nil)
    }

    @Test("Our hangup is complete when the peer's hangup arrives, even if both were sent at the same time")
    func ourHangUp() {
        var driver = CallDriver.connectedCaller()
        driver.handle(.command(.hangUp))
        driver.attemptEnds()
        #expect(driver.end == .hungUp(by: .us))
        #expect(driver.course.outcome == nil)
        driver.hear(.message(.hangup(offerID: "mine", reason: nil)))
        #expect(driver.course.outcome != nil)
        #expect(driver.hangUps == 1)
        #expect(!driver.log.contains(.rejoin))
    }

    @Test(
        "After an unanswered hangup we rejoin the room, whether media closes before or after the timeout",
        arguments: [true, false]
    )
    func unansweredHangUp(closesFirst: Bool) {
        var driver = CallDriver.connectedCaller()
        let actions = driver.handle(.command(.hangUp))
        var timer: RoomTimer?
        for case .start(let started, .seconds(1)) in actions { timer = started }
        guard let timer else {
            Issue.record("no timer in \(actions)")
            return
        }
        if closesFirst { driver.attemptEnds() }
        driver.handle(.timer(timer))
        if !closesFirst { driver.attemptEnds() }
        #expect(driver.log.contains(.rejoin))
        #expect(driver.course.outcome != nil)
    }

    @Test("A late hangup that names an earlier offer does not end the current attempt")
    func overtakenHangUp() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting)
        driver.attemptEnds(.timedOut(.connection))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        driver.hear(.message(.hangup(offerID: "one", reason: nil)))
        #expect(!driver.log.contains(.forward(.stop)))
        driver.hear(.message(.hangup(offerID: "two", reason: nil)))
        #expect(driver.log.contains(.forward(.stop)))
    }

    @Test("An offer that arrives while the call is ending begins the next call")
    func nextOffer() throws {
        var driver = try CallDriver.callee()
        driver.attempt(.answering, .connecting, .connected)
        driver.handle(.command(.hangUp))
        driver.hear(.message(.offer(.init(CallDriver.sdp("two")))))
        driver.attemptEnds()
        driver.hear(.message(.hangup(offerID: "one", reason: nil)))
        #expect(driver.course.outcome?.nextOffer == (try CallDriver.offer("two")))
    }

    @Test("An attempt with an unknown peer ends when a peer joins, and the next attempt is number 1 again")
    func blind() {
        var driver = CallDriver(.caller, .dialBlindly)
        #expect(driver.log.contains(.report(.started(role: .caller, attempt: 1, blind: true))))
        driver.attempt(.offering, .awaitingAnswer)
        driver.hear(.peerJoined(CallDriver.bob))
        let next = driver.attemptEnds()
        #expect(next.contains(.report(.started(role: .caller, attempt: 1, blind: false))))
    }

    @Test("Without signaling, a call continues until media stalls, and then ends as if the peer had left")
    func outlives() {
        var driver = CallDriver.connectedCaller()
        driver.hear(.failed(.lost(seconds: 60)))
        #expect(!driver.log.contains(.forward(.stop)))
        driver.attemptEnds(.stalled)
        #expect(driver.end == .peerLeft)
    }
}
