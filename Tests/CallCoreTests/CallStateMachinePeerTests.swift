import CallCore
import Testing

/// Rules about who the peer is, where more than two may be in the room.
@Suite("Call course, whose call it is")
struct CallStateMachinePeerTests {
    private static let ann = CourseStage.ann
    private static let bob = CourseStage.bob
    private static let carl = Participant(username: "Carl", role: .callee)
    private static let zoe = Participant(username: "Zoe", role: .caller)
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)
    private static let joined = RoomEvent.joined(url: "u", transport: "t")

    /// A caller in a call with one who answered as `name`.
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

    @Test("A caller whose peer went unheard calls nobody else under its name", arguments: [false, true])
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

    @Test("Nor where the call was not yet held, and it waits where nobody else is there")
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

    @Test("A caller that finds its peer again beside another one calls it anew, and names whom it means")
    func foundAgain() throws {
        var stage = Self.caller(answeredBy: "Bob")
        stage.hear(Self.silence)
        stage.hear(Self.joined)
        stage.hear(.roomState([Self.carl, Self.bob]))
        stage.attemptEnds(.stalled)
        stage.handle(.timer(try #require(stage.timer(.retry))))
        #expect(stage.addressees == [nil, "Bob"])
    }

    @Test("The first who answers a blind offer is the peer, and gives the call its name")
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

    @Test("What a third one says to our offer reaches neither the attempt nor the call")
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
        // One that answered without a name is no one of our kind.
        var foreign = Self.caller(.dialBlindly, answeredBy: nil)
        #expect(foreign.hear(.message(.restart(offerID: "mine"), from: "Carl")).isEmpty)
    }

    @Test("An answer of another than the one who was called is none; a name in another form is none other's")
    func otherAnswers() {
        var stage = CourseStage(.caller, .dial(Self.bob))
        stage.hear(.peerJoined(Self.carl))
        stage.attempt(.offering, .awaitingAnswer)
        #expect(stage.hear(.message(Self.answer("mine"), from: "Carl")).isEmpty)
        #expect(stage.hear(.message(Self.answer("mine"), from: "BOB")).count == 1)
    }

    @Test("Another's offer does not take over a call that lives", arguments: [nil, "Zoe"])
    func otherOffers(name: String?) throws {
        var stage = try Self.callee(from: "Ann")
        #expect(stage.hear(.message(Self.offer("two"), from: name)).isEmpty)
        stage.attemptEnds(.stalled)
        #expect(stage.hear(.message(Self.offer("two"), from: name)).isEmpty)
        #expect(stage.end == nil)
        stage.hear(.message(Self.offer("three"), from: "Ann"))
        #expect(stage.begun == ["1", "2"])
    }

    @Test("The offer of another is the next call where the peer went unheard")
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

    @Test("An offer is from whom it names, and not from the first who is there")
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

    @Test("One who comes for a peer that nobody named is a guess: whoever was there before may still leave")
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
