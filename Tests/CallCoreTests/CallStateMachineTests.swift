import CallCore
import Testing

/// The rules of a call around its attempts, one event after the other.
@Suite("Call state machine")
struct CallStateMachineTests {
    @Test("A leave of the peer ends the call even while media flows")
    func peerLeft() {
        var stage = CourseStage.connectedCaller()
        #expect(stage.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))
        stage.attemptEnds()
        #expect(stage.end == .peerLeft)
        #expect(stage.hangUps == 0)
    }

    @Test("The end of the source ends the call successfully, with a hangup to the peer")
    func sourceEnded() {
        var stage = CourseStage.connectedCaller { $0.leavesRoom = false }
        #expect(stage.handle(.attempt(.media(.sourceEnded("film.mp4")))).contains(.tell(.stop)))
        stage.attemptEnds()
        #expect(stage.end == .sourceEnded("film.mp4"))
        #expect(stage.end?.reason == "hung-up")
        #expect(stage.hangUps == 1)
    }

    @Test("The leave of a third participant ends nothing")
    func thirdPerson() {
        var stage = CourseStage.connectedCaller()
        stage.hear(.peerLeft(Participant(username: "Dora", role: .callee)))
        stage.hear(.peerLeft(Participant(username: "Bob", role: .caller)))
        #expect(stage.course.outcome == nil && stage.end == nil)
        stage.hear(.peerJoined(CourseStage.bob))
        stage.hear(.peerLeft(CourseStage.bob))
        #expect(!stage.log.contains(.tell(.stop)))
    }

    @Test("Any leave ends the call if the peer's name is unknown")
    func namelessPeer() throws {
        var stage = CourseStage(.callee, .incoming(try CourseStage.offer("one"), from: nil))
        stage.hear(.peerLeft(Participant(username: "Zoe", role: nil)))
        stage.attemptEnds()
        #expect(stage.end == .peerLeft)
    }

    @Test("A peer that joins again gets a new offer unless media flows")
    func rejoined() {
        var stage = CourseStage.connectedCaller()
        stage.hear(.peerJoined(CourseStage.bob))
        #expect(stage.attempts == 1)

        var waiting = CourseStage(.caller, .dial(CourseStage.bob))
        waiting.attempt(.offering, .awaitingAnswer)
        waiting.hear(.peerJoined(CourseStage.bob))
        waiting.attemptEnds()
        #expect(waiting.attempts == 2)
    }

    @Test("A new offer always begins a new attempt with the candidates that followed it")
    func newOffer() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        #expect(stage.hear(.message(.offer(sdp: CourseStage.sdp("two")))) == [.tell(.stop)])
        let candidate = ICECandidate(candidate: "candidate:1")
        stage.hear(.message(.candidate(candidate)))
        let second = try SessionOffer(parsing: CourseStage.sdp("two"))
        #expect(
            stage.attemptEnds().last
                == .begin(
                    AttemptStateMachine(role: .callee),
                    first: [.offerReceived(second), .candidateReceived(candidate)]
                )
        )
    }

    @Test("An older known offer is ignored, the current one is passed to the attempt again")
    func knownOffers() throws {
        var stage = try CourseStage.callee()
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        stage.attemptEnds()
        #expect(stage.hear(.message(.offer(sdp: CourseStage.sdp("two")))).count == 1)
        let before = stage.attempts
        var room = stage.room
        _ = stage.course.handle(.room(.message(.offer(sdp: CourseStage.sdp("one"))), []), &room)
        #expect(stage.attempts == before)
    }

    @Test("A caller does not answer offers")
    func glare() {
        var stage = CourseStage.connectedCaller()
        #expect(stage.hear(.message(.offer(sdp: CourseStage.sdp("theirs")))).isEmpty)
    }

    @Test("An unreadable offer changes nothing in a call, but fails an attempt that awaits an offer")
    func garbage() throws {
        var stage = try CourseStage.callee { $0.retries = 1 }
        stage.attempt(.answering, .connecting, .connected)
        #expect(stage.hear(.message(.offer(sdp: "garbage"))).isEmpty)
        stage.attemptEnds(.stalled)
        stage.hear(.message(.offer(sdp: "garbage")))
        #expect(stage.end == nil)
        stage.hear(.message(.offer(sdp: "garbage")))
        guard case .media(.badDescription) = stage.end else {
            Issue.record("ended with \(String(describing: stage.end))")
            return
        }
    }

    @Test("An offer that follows an unusable one is answered")
    func offerAfterUnusable() {
        let failure = MediaFailure.badDescription("x")
        var stage = CourseStage(.callee, .unusable(failure, from: CourseStage.ann))
        #expect(stage.attempts == 0 && stage.end == nil)
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        #expect(stage.attempts == 1)
    }

    @Test(
        "An unusable offer without a successor ends the call by timeout, retry budget or leave"
    )
    func unusableOffer() {
        let opening = CallStart.unusable(.badDescription("x"), from: CourseStage.ann)
        let end = CallEnd.media(.badDescription("x"))
        #expect(CourseStage(.callee, opening) { $0.retries = 0 }.end == end)
        var late = CourseStage(.callee, opening)
        var timer: RoomTimer?
        for case .start(let started, .seconds(12)) in late.log { timer = started }
        timer.map { _ = late.handle(.timer($0)) }
        #expect(late.end == end)
        var left = CourseStage(.callee, opening)
        left.hear(.peerLeft(CourseStage.ann))
        #expect(left.end == .peerLeft)
    }

    @Test("A description that the media session refuses does not end the call", arguments: Role.allCases)
    func refusedDescription(role: Role) throws {
        var stage = role == .caller ? CourseStage(.caller, .dial(CourseStage.bob)) : try CourseStage.callee()
        stage.attempt(role == .caller ? .connecting : .answering)
        stage.attemptEnds(.failed(.badDescription("x")))
        #expect(stage.end == nil)
    }

    @Test("A hangup is answered once, and only if it names the offer")
    func hangUp() {
        var stage = CourseStage.connectedCaller()
        #expect(stage.hear(.message(.hangup(offerID: "another", reason: nil))).isEmpty)
        stage.hear(.message(.hangup(offerID: "mine", reason: nil)))
        stage.hear(.message(.hangup(offerID: "mine", reason: nil)))
        stage.attemptEnds()
        #expect(stage.end == .hungUp(by: .peer))
        #expect(stage.hangUps == 1)
        #expect(stage.course.outcome != nil)
    }

    @Test("Our hangup is complete when the peer answers it, even if both hang up at once")
    func ourHangUp() {
        var stage = CourseStage.connectedCaller()
        stage.handle(.command(.hangUp))
        stage.attemptEnds()
        #expect(stage.end == .hungUp(by: .us))
        #expect(stage.course.outcome == nil)
        stage.hear(.message(.hangup(offerID: "mine", reason: nil)))
        #expect(stage.course.outcome != nil)
        #expect(stage.hangUps == 1)
        #expect(!stage.log.contains(.rejoin))
    }

    @Test(
        "An unanswered hangup makes us rejoin the room, however slowly media closes",
        arguments: [true, false]
    )
    func unansweredHangUp(closesFirst: Bool) {
        var stage = CourseStage.connectedCaller()
        let actions = stage.handle(.command(.hangUp))
        var timer: RoomTimer?
        for case .start(let started, .seconds(1)) in actions { timer = started }
        guard let timer else {
            Issue.record("no timer in \(actions)")
            return
        }
        if closesFirst { stage.attemptEnds() }
        stage.handle(.timer(timer))
        if !closesFirst { stage.attemptEnds() }
        #expect(stage.log.contains(.rejoin))
        #expect(stage.course.outcome != nil)
    }

    @Test("A late hangup of the previous call does not end the one begun since")
    func overtakenHangUp() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting)
        stage.attemptEnds(.timedOut(.connection))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        stage.hear(.message(.hangup(offerID: "one", reason: nil)))
        #expect(!stage.log.contains(.tell(.stop)))
        stage.hear(.message(.hangup(offerID: "two", reason: nil)))
        #expect(stage.log.contains(.tell(.stop)))
    }

    @Test("An offer that arrives while the call is ending begins the next call")
    func nextOffer() throws {
        var stage = try CourseStage.callee()
        stage.attempt(.answering, .connecting, .connected)
        stage.handle(.command(.hangUp))
        stage.hear(.message(.offer(sdp: CourseStage.sdp("two"))))
        stage.attemptEnds()
        stage.hear(.message(.hangup(offerID: "one", reason: nil)))
        #expect(stage.course.outcome?.nextOffer == (try CourseStage.offer("two")))
    }

    @Test("A blind attempt ends when a peer joins, and the next attempt counts as the first")
    func blind() {
        var stage = CourseStage(.caller, .dialBlindly)
        #expect(stage.log.contains(.report(.started(role: .caller, attempt: 1, blind: true))))
        stage.attempt(.offering, .awaitingAnswer)
        stage.hear(.peerJoined(CourseStage.bob))
        let next = stage.attemptEnds()
        #expect(next.contains(.report(.started(role: .caller, attempt: 1, blind: false))))
    }

    @Test("Media may outlive the signaling; a stall then means that the peer is gone")
    func outlives() {
        var stage = CourseStage.connectedCaller()
        stage.hear(.failed(.lost(seconds: 60)))
        #expect(!stage.log.contains(.tell(.stop)))
        stage.attemptEnds(.stalled)
        #expect(stage.end == .peerLeft)
    }
}
