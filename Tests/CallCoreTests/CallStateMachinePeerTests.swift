import CallCore
import Testing

/// The rules that identify the peer in a room with more than two participants.
@Suite("Call state machine, identity of the peer")
struct CallStateMachinePeerTests {
    private static let ann = CallDriver.ann
    private static let bob = CallDriver.bob
    private static let carl = Participant(username: "Carl", role: .callee)
    private static let zoe = Participant(username: "Zoe", role: .caller)
    private static let silence = RoomEvent.disconnected(reason: "ping timeout", retryIn: 1, isSilent: true)
    private static let joined = RoomEvent.joined(url: "u", transport: "t")

    /// Creates a caller in a connected call; `name` is the sender name in the peer's answer.
    private static func caller(
        _ opening: CallStart = .dial(bob),
        answeredBy name: String?
    ) -> CallDriver {
        var driver = CallDriver(.caller, opening)
        driver.attempt(.offering)
        driver.handle(.attempt(.sent(.offer, bytes: 1, offerID: "mine")))
        driver.attempt(.awaitingAnswer)
        driver.hear(.message(answer("mine"), from: name))
        driver.attempt(.connecting, .connected)
        return driver
    }

    private static func callee(from name: String?, of participant: Participant? = ann) throws -> CallDriver {
        let offer = HeldOffer(try SessionOffer(parsing: CallDriver.sdp("one")), from: name)
        var driver = CallDriver(.callee, .incoming(offer, from: participant))
        driver.attempt(.answering, .connecting, .connected)
        return driver
    }

    private static func answer(_ id: String) -> SignalMessage {
        .answer(.init(CallDriver.sdp("theirs")), offerID: id)
    }

    private static func offer(_ ufrag: String) -> SignalMessage { .offer(.init(CallDriver.sdp(ufrag))) }

    @Test("If the peer left during a disconnection, a caller calls nobody else", arguments: [false, true])
    func goneUnheard(isStallNoticedFirst: Bool) throws {
        var driver = Self.caller(answeredBy: "Bob")
        driver.hear(Self.silence)
        if isStallNoticedFirst { driver.attemptEnds(.stalled) }
        driver.hear(Self.joined)
        driver.hear(.peerJoined(Self.carl))
        driver.hear(.roomState([Self.carl]))
        if !isStallNoticedFirst { driver.attemptEnds(.stalled) }
        #expect(driver.begun == ["1"])
        #expect(driver.end == .peerLeft && driver.summary?.peer == "Bob")
    }

    @Test("If the peer leaves before media flows, a caller alone in the room waits, else the call ends")
    func goneBeforeMedia() throws {
        for others in [[Self.carl], []] {
            var driver = CallDriver(.caller, .dial(Self.bob))
            driver.attempt(.offering, .awaitingAnswer)
            driver.attemptEnds(.unanswered)
            driver.rejoin()
            driver.hear(.roomState(others))
            driver.handle(.timer(try #require(driver.timer(.retry))))
            #expect(driver.end == (others.isEmpty ? nil : .peerLeft))
            #expect(driver.begun == ["1"])
        }
    }

    @Test("After a reconnection, a caller addresses its next offer to its peer if another callee is present")
    func foundAgain() throws {
        var driver = Self.caller(answeredBy: "Bob")
        driver.hear(Self.silence)
        driver.hear(Self.joined)
        driver.hear(.roomState([Self.carl, Self.bob]))
        driver.attemptEnds(.stalled)
        driver.handle(.timer(try #require(driver.timer(.retry))))
        #expect(driver.addressees == [nil, "Bob"])
    }

    @Test("The first participant that answers an offer to an unknown peer becomes the peer of the call")
    func namedByAnswer() throws {
        var driver = Self.caller(.dialBlindly, answeredBy: "Bob")
        driver.hear(.peerJoined(Self.carl))
        driver.hear(.peerLeft(Participant(username: "Carl", role: nil)))
        #expect(!driver.log.contains(.forward(.stop)))
        driver.attemptEnds(.stalled)
        driver.handle(.timer(try #require(driver.timer(.retry))))
        #expect(driver.addressees == [nil, "Bob"])
        driver.hear(.peerLeft(Participant(username: "Bob", role: nil)))
        driver.attemptEnds()
        #expect(driver.end == .peerLeft && driver.summary?.peer == "Bob")
    }

    @Test("Messages from a third participant have no effect on the call")
    func third() {
        let messages = [
            Self.answer("mine"), .restart(offerID: "mine"), .ringing(offerID: "mine"),
            .hangup(offerID: "mine", reason: nil), .hangup(offerID: nil, reason: nil),
        ]
        for opening in [CallStart.dial(Self.bob), .dialBlindly] {
            var driver = Self.caller(opening, answeredBy: "Bob")
            driver.hear(.peerJoined(Self.carl))
            for message in messages {
                let actions = driver.hear(.message(message, from: "Carl"))
                #expect(actions.isEmpty, "\(message)")
            }
        }
        // This peer sends no name, so a message with a name is from another participant.
        var foreign = Self.caller(.dialBlindly, answeredBy: nil)
        #expect(foreign.hear(.message(.restart(offerID: "mine"), from: "Carl")).isEmpty)
    }

    @Test("An answer from another participant is ignored, but one with an unknown sender name is accepted")
    func otherAnswers() {
        var driver = CallDriver(.caller, .dial(Self.bob))
        driver.hear(.peerJoined(Self.carl))
        driver.attempt(.offering, .awaitingAnswer)
        #expect(driver.hear(.message(Self.answer("mine"), from: "Carl")).isEmpty)
        #expect(driver.hear(.message(Self.answer("mine"), from: "BOB")).count == 1)
    }

    @Test("An offer from another caller does not replace a running call", arguments: [nil, "Zoe"])
    func otherOffers(name: String?) throws {
        var driver = try Self.callee(from: "Ann")
        #expect(driver.hear(.message(Self.offer("two"), from: name)).isEmpty)
        driver.attemptEnds(.stalled)
        #expect(driver.hear(.message(Self.offer("two"), from: name)).isEmpty)
        #expect(driver.end == nil)
        driver.hear(.message(Self.offer("three"), from: "Ann"))
        #expect(driver.begun == ["1", "2"])
    }

    @Test("After a reconnection and a media stall, an offer from another caller begins the next call")
    func nextCall() throws {
        var driver = try Self.callee(from: "Ann")
        driver.hear(Self.silence)
        driver.hear(Self.joined)
        driver.hear(.roomSilent)
        driver.attemptEnds(.stalled)
        driver.hear(.message(Self.offer("two"), from: "Zoe"))
        #expect(driver.end == .peerLeft && driver.summary?.peer == "Ann")
        let next = try #require(driver.course.outcome?.nextOffer)
        #expect(next.sender == "Zoe")
        var room = driver.room
        let decision = CallTrigger(role: .callee, isPrepared: true, offer: next).begin(room)
        #expect(
            decision == .open(.incoming(next, from: room.apply(.peerJoined(Self.zoe)).first?.participant))
        )
    }

    @Test("The caller is the participant that the offer names as its sender, not the first in the room")
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

    @Test("If the peer is unknown, the leave of a participant whose join was not reported ends the call")
    func guess() {
        var driver = Self.caller(.dialBlindly, answeredBy: nil)
        driver.hear(.peerJoined(Self.carl))
        driver.hear(.peerJoined(Participant(username: "Dave", role: .callee)))
        driver.hear(.peerLeft(Participant(username: "Dave", role: nil)))
        #expect(!driver.log.contains(.forward(.stop)))
        #expect(driver.hearLeaving(of: Participant(username: "Bob", role: nil)).contains(.forward(.stop)))
    }
}

extension PresenceChange {
    fileprivate var participant: Participant {
        switch self {
        case .appeared(let one), .reappeared(let one), .left(let one, _), .leftPerhaps(let one),
            .missing(let one):
            one
        }
    }
}
