import CallCore
import Testing

/// The rules that identify the peer where more than two participants are in the room.
@Suite("Call state machine, identity of the peer")
struct CallStateMachinePeerTests {
    private static let ann = CourseStage.ann
    private static let bob = CourseStage.bob
    private static let carl = Participant(username: "Carl", role: .callee)
    private static let zoe = Participant(username: "Zoe", role: .caller)
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)
    private static let joined = RoomEvent.joined(url: "u", transport: "t")

    /// Creates a caller in a connected call whose peer answered as `name`.
    private static func caller(
        _ opening: CallStart = .dial(bob),
        answeredBy name: String?
    ) -> CourseStage {
        var stage = CourseStage(.caller, opening)
        stage.attempt(.offering)
        stage.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        stage.attempt(.awaitingAnswer)
        stage.hear(.message(answer("mine"), from: name))
        stage.attempt(.connecting, .connected)
        return stage
    }

    private static func callee(from name: String?, of participant: Participant? = ann) throws -> CourseStage {
        let offer = HeldOffer(try SessionOffer(parsing: CourseStage.sdp("one")), from: name)
        var stage = CourseStage(.callee, .incoming(offer, from: participant))
        stage.attempt(.answering, .connecting, .connected)
        return stage
    }

    private static func answer(_ id: String) -> SignalMessage {
        .answer(sdp: CourseStage.sdp("theirs"), offerID: id)
    }

    private static func offer(_ ufrag: String) -> SignalMessage { .offer(sdp: CourseStage.sdp(ufrag)) }

    @Test("A caller whose peer left unnoticed does not call anybody else", arguments: [false, true])
    func goneUnheard(isStallNoticedFirst: Bool) throws {
        var stage = Self.caller(answeredBy: "Bob")
        stage.hear(Self.silence)
        if isStallNoticedFirst { stage.attemptEnds(.stalled) }
        stage.hear(Self.joined)
        stage.hear(.peerJoined(Self.carl))
        stage.hear(.roomState([Self.carl]))
        if !isStallNoticedFirst { stage.attemptEnds(.stalled) }
        #expect(stage.begun == ["1"])
        #expect(stage.end == .peerLeft && stage.summary?.peer == "Bob")
    }

    @Test("A caller without media does not call anybody else either, and waits if nobody else is there")
    func goneBeforeMedia() throws {
        for others in [[Self.carl], []] {
            var stage = CourseStage(.caller, .dial(Self.bob))
            stage.attempt(.offering, .awaitingAnswer)
            stage.attemptEnds(.unanswered)
            stage.rejoin()
            stage.hear(.roomState(others))
            stage.handle(.timer(try #require(stage.timer(.retry))))
            #expect(stage.end == (others.isEmpty ? nil : .peerLeft))
            #expect(stage.begun == ["1"])
        }
    }

    @Test("A caller that finds its peer again beside another callee addresses its offer to the peer")
    func foundAgain() throws {
        var stage = Self.caller(answeredBy: "Bob")
        stage.hear(Self.silence)
        stage.hear(Self.joined)
        stage.hear(.roomState([Self.carl, Self.bob]))
        stage.attemptEnds(.stalled)
        stage.handle(.timer(try #require(stage.timer(.retry))))
        #expect(stage.addressees == [nil, "Bob"])
    }

    @Test("The first participant that answers a blind offer becomes the peer and names the call")
    func namedByAnswer() throws {
        var stage = Self.caller(.dialBlindly, answeredBy: "Bob")
        stage.hear(.peerJoined(Self.carl))
        stage.hear(.peerLeft(Participant(username: "Carl", role: nil)))
        #expect(!stage.log.contains(.tell(.stop)))
        stage.attemptEnds(.stalled)
        stage.handle(.timer(try #require(stage.timer(.retry))))
        #expect(stage.addressees == [nil, "Bob"])
        stage.hear(.peerLeft(Participant(username: "Bob", role: nil)))
        stage.attemptEnds()
        #expect(stage.end == .peerLeft && stage.summary?.peer == "Bob")
    }

    @Test("Messages of a third participant reach neither the attempt nor the call")
    func third() {
        let messages = [
            Self.answer("mine"), .restart(offerID: "mine"), .ringing(offerID: "mine"),
            .hangup(offerID: "mine", reason: nil), .hangup(offerID: nil, reason: nil),
        ]
        for opening in [CallStart.dial(Self.bob), .dialBlindly] {
            var stage = Self.caller(opening, answeredBy: "Bob")
            stage.hear(.peerJoined(Self.carl))
            for message in messages {
                let actions = stage.hear(.message(message, from: "Carl"))
                #expect(actions.isEmpty, "\(message)")
            }
        }
        // The peer answered without a name, so a message with a name is not from it.
        var foreign = Self.caller(.dialBlindly, answeredBy: nil)
        #expect(foreign.hear(.message(.restart(offerID: "mine"), from: "Carl")).isEmpty)
    }

    @Test("An answer of another callee is ignored; an unknown form of the name is accepted")
    func otherAnswers() {
        var stage = CourseStage(.caller, .dial(Self.bob))
        stage.hear(.peerJoined(Self.carl))
        stage.attempt(.offering, .awaitingAnswer)
        #expect(stage.hear(.message(Self.answer("mine"), from: "Carl")).isEmpty)
        #expect(stage.hear(.message(Self.answer("mine"), from: "BOB")).count == 1)
    }

    @Test("An offer of another caller does not take over a running call", arguments: [nil, "Zoe"])
    func otherOffers(name: String?) throws {
        var stage = try Self.callee(from: "Ann")
        #expect(stage.hear(.message(Self.offer("two"), from: name)).isEmpty)
        stage.attemptEnds(.stalled)
        #expect(stage.hear(.message(Self.offer("two"), from: name)).isEmpty)
        #expect(stage.end == nil)
        stage.hear(.message(Self.offer("three"), from: "Ann"))
        #expect(stage.begun == ["1", "2"])
    }

    @Test("An offer of another caller begins the next call if the peer left unnoticed")
    func nextCall() throws {
        var stage = try Self.callee(from: "Ann")
        stage.hear(Self.silence)
        stage.hear(Self.joined)
        stage.hear(.roomSilent)
        stage.attemptEnds(.stalled)
        stage.hear(.message(Self.offer("two"), from: "Zoe"))
        #expect(stage.end == .peerLeft && stage.summary?.peer == "Ann")
        let next = try #require(stage.course.outcome?.nextOffer)
        #expect(next.sender == "Zoe")
        var room = stage.room
        let decision = CallTrigger(role: .callee, isPrepared: true, offer: next).begin(room)
        #expect(
            decision == .open(.incoming(next, from: room.apply(.peerJoined(Self.zoe)).first?.participant))
        )
    }

    @Test("An offer is from the sender that it names, not from the first participant")
    func namedByOffer() throws {
        var room = PresenceTracker(role: .callee)
        for event in [Self.joined, .roomState([Self.ann, Self.zoe])] { _ = room.apply(event) }
        var waiting = CallTrigger(role: .callee, isPrepared: true)
        let decision = waiting.handle(.room(.message(Self.offer("one"), from: "Zoe"), []), &room)
        guard case .open(.incoming(_, from: let participant)) = decision else {
            Issue.record("\(String(describing: decision))")
            return
        }
        #expect(participant == Self.zoe)
    }

    @Test("If the peer is only assumed, the leave of an unreported participant ends the call")
    func guess() {
        var stage = Self.caller(.dialBlindly, answeredBy: nil)
        stage.hear(.peerJoined(Self.carl))
        stage.hear(.peerJoined(Participant(username: "Dave", role: .callee)))
        stage.hear(.peerLeft(Participant(username: "Dave", role: nil)))
        #expect(!stage.log.contains(.tell(.stop)))
        #expect(stage.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.tell(.stop)))
    }
}

extension PresenceChange {
    fileprivate var participant: Participant {
        switch self {
        case .appeared(let one), .cameAgain(let one), .left(let one, _), .leftPerhaps(let one),
            .missing(let one):
            one
        }
    }
}
