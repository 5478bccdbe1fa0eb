import CallCore
import Testing

/// The rules for rooms whose server does not tell newcomers who is there.
@Suite("Call state machine in a silent room")
struct CallStateMachineSilentRoomTests {
    private static func blindlyOffering() -> CourseStage {
        var stage = CourseStage(.caller, .dialBlindly)
        stage.attempt(.offering, .awaitingAnswer)
        return stage
    }

    @Test("A blind offer is repeated under its number when our own socket comes back")
    func blindAgain() {
        var stage = Self.blindlyOffering()
        stage.rejoin()
        #expect(stage.attempts == 1)
        #expect(stage.hear(.roomSilent) == [.tell(.stop)])
        stage.attemptEnds()
        #expect(stage.begun == ["1 blind", "1 blind"])
    }

    @Test("An answered blind offer is not repeated")
    func answered() {
        var stage = Self.blindlyOffering()
        stage.attempt(.connecting)
        stage.rejoin()
        stage.hear(.roomSilent)
        #expect(!stage.log.contains(.tell(.stop)))
    }

    @Test("A peer that joins while a blind attempt is being stopped gets an offer that is not blind")
    func cameMeanwhile() {
        var stage = Self.blindlyOffering()
        stage.rejoin()
        stage.hear(.roomSilent)
        stage.hear(.peerJoined(CourseStage.bob))
        stage.attemptEnds()
        #expect(stage.begun == ["1 blind", "1"])
    }

    @Test(
        "A nameless peer that rejoins during the call is named, and its old socket's leave is ignored"
    )
    func lateLeft() throws {
        let callee = CourseStage(.callee, .incoming(try CourseStage.offer("one"), from: nil))
        for var stage in [CourseStage.connectedCaller(.dialBlindly), callee] {
            let peer = stage.course.role == .caller ? CourseStage.bob : CourseStage.ann
            if stage.course.role == .callee { stage.attempt(.answering, .connecting, .connected) }
            stage.hear(.peerJoined(peer))
            stage.hear(.peerLeft(Participant(username: peer.username, role: nil)))
            #expect(!stage.log.contains(.tell(.stop)))
            stage.hearLeaving(of: Participant(username: peer.username, role: nil))
            stage.attemptEnds()
            #expect(stage.end == .peerLeft)
        }
    }

    @Test("A nameless peer that comes back after our own reconnection has one socket")
    func bothRejoined() {
        var stage = CourseStage.connectedCaller(.dialBlindly)
        stage.rejoin()
        stage.hear(.roomSilent)
        stage.hear(.peerJoined(CourseStage.bob))
        #expect(stage.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))
    }

    @Test("A participant of our own role does not name the peer")
    func rival() {
        var stage = CourseStage.connectedCaller(.dialBlindly)
        stage.hear(.peerJoined(Participant(username: "Carl", role: .caller)))
        #expect(stage.hearLeaving(of: CourseStage.bob).contains(.tell(.stop)))
    }

    private static func names(_ actions: [CallAction]) -> [String] {
        actions.compactMap { if case .report(.peer(let name)) = $0 { name } else { nil } }
    }

    @Test("The name of a blindly called peer is learned from its answer and reported once")
    func nameByAnswer() {
        var stage = Self.blindlyOffering()
        stage.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        stage.hear(.message(.answer(sdp: CourseStage.sdp("theirs"), offerID: "mine"), from: "Bob"))
        stage.attempt(.connecting, .connected)
        #expect(Self.names(stage.log) == ["Bob"])
    }

    @Test("A peer that sends no name is named by the server, when it joins again or else leaves")
    func nameByServer() {
        for joinsAgain in [true, false] {
            var stage = CourseStage.connectedCaller(.dialBlindly)
            #expect(Self.names(stage.log) == [])
            if joinsAgain { stage.hear(.peerJoined(CourseStage.bob)) }
            #expect(Self.names(stage.log) == (joinsAgain ? ["Bob"] : []))
            stage.hear(.peerLeft(Participant(username: "Bob", role: nil)))
            #expect(Self.names(stage.log) == ["Bob"])
        }
    }

    @Test("A peer that declines a blind offer is named, and the call ends as declined")
    func blindlyDeclined() {
        var stage = Self.blindlyOffering()
        stage.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        stage.hear(.message(.hangup(offerID: "mine", reason: "declined"), from: "Bob"))
        stage.attemptEnds()
        #expect(stage.end == .declined(by: .peer) && stage.summary?.peer == "Bob")
    }

    @Test("A blind offer does not claim that a peer was found")
    func blindSentence() {
        let states = Self.blindlyOffering().log.compactMap { action in
            if case .report(.state(let state)) = action { state } else { nil }
        }
        #expect(states.first?.name == "calling")
        #expect(states.first?.sentence == "this server does not report who is present, calling anyway")
    }
}
