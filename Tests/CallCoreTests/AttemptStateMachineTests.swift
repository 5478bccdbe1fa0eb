import CallCore
import Testing

@Suite("Attempt state machine")
struct AttemptStateMachineTests {
    private let offer = AttemptStateMachineSearch.ownOffer
    private let answer = AttemptStateMachineSearch.answer
    private let local = ICECandidate(candidate: "candidate:9", sdpMid: "video0")

    private func caller(after events: [CallEvent]) -> AttemptStateMachine {
        machine(.caller, after: [.start] + events)
    }

    private func machine(_ role: Role, after events: [CallEvent]) -> AttemptStateMachine {
        var machine = AttemptStateMachine(role: role)
        for event in events { _ = machine.handle(event) }
        return machine
    }

    @Test("A caller sends an offer, applies the answer and is connected")
    func callerConnects() {
        var machine = AttemptStateMachine(role: .caller)
        #expect(machine.handle(.start) == [.openMedia, .createOffer, .startDeadline(.preparation)])
        #expect(
            machine.handle(.offerCreated(offer))
                == [.send(.offer(.init(offer))), .startDeadline(.description)]
        )
        #expect(machine.offerID == "mine")
        #expect(
            machine.handle(.answerReceived(.init(answer), offerID: "mine"))
                == [.apply(answer: .init(answer)), .startDeadline(.connection)]
        )
        #expect(machine.handle(.media(.connected)).isEmpty)
        #expect(machine.state == .connected)
    }

    @Test("A callee answers and is connected")
    func calleeConnects() throws {
        let received = try AttemptStateMachineSearch.offer("peer", version: 1)
        var machine = AttemptStateMachine(role: .callee)
        #expect(
            machine.handle(.offerReceived(received))
                == [.openMedia, .createAnswer(to: received), .startDeadline(.description)]
        )
        #expect(
            machine.handle(.answerCreated(answer))
                == [.send(.answer(.init(answer), offerID: "peer")), .startDeadline(.connection)]
        )
        _ = machine.handle(.media(.connected))
        #expect(machine.state == .connected)
    }

    /// Creates an answer with a media section for each direction; nil stands for a rejected section.
    private static func answer(_ directions: String?...) -> String {
        let sections = directions.enumerated().map { index, direction in
            "m=\(index == 0 ? "video" : "audio") \(direction == nil ? 0 : 9) UDP/TLS/RTP/SAVPF 96\na=\(direction ?? "inactive")\n"
        }
        return AttemptStateMachineSearch.answer + "a=fingerprint:sha-256 "
            + Array(repeating: "AB", count: 32).joined(separator: ":") + "\n"
            + sections.joined()
    }

    private static let nothingFlows = AttemptEnd.failed(
        .nothingToCarry("no media would flow in either direction: neither side sends what the other receives")
    )

    @Test("An answer whose sections are all inactive ends a caller's attempt at once")
    func nothingToReceive() {
        var machine = caller(after: [.offerCreated(offer)])
        let answer = Self.answer("inactive", "inactive")
        #expect(machine.handle(.answerReceived(.init(answer), offerID: "mine")) == [])
        #expect(machine.end == Self.nothingFlows)
    }

    @Test("A callee sends an answer without an active section, and then its attempt fails")
    func nothingToSend() throws {
        var machine = machine(
            .callee,
            after: [.offerReceived(try AttemptStateMachineSearch.offer("peer", version: 1))]
        )
        let answer = Self.answer("inactive", nil)
        let effects = machine.handle(.answerCreated(answer))
        guard effects.count == 3, effects[0] == .send(.answer(.init(answer), offerID: "peer")),
            case .fail(let failure) = effects[1]
        else {
            Issue.record("\(effects)")
            return
        }
        #expect(machine.end == nil)
        _ = machine.handle(.media(.failed(failure)))
        #expect(machine.end == Self.nothingFlows)
    }

    @Test(
        "An answer is applied if a section is active, or if all sections are rejected",
        arguments: [["inactive", "sendonly"], ["recvonly", "inactive"], [nil, nil]] as [[String?]]
    )
    func somethingFlows(directions: [String?]) {
        var machine = caller(after: [.offerCreated(offer)])
        let answer = Self.answer(directions[0], directions[1])
        let effects = machine.handle(.answerReceived(.init(answer), offerID: "mine"))
        #expect(effects.first == .apply(answer: .init(answer)))
    }

    @Test("Candidates gathered while the offer is created are sent after the offer")
    func localCandidatesFollow() {
        var machine = caller(after: [.media(.localCandidate(local))])
        let effects = machine.handle(.offerCreated(offer))
        #expect(effects.prefix(2) == [.send(.offer(.init(offer))), .send(.candidate(local))])
    }

    @Test("Candidates received before the answer are added after it, without duplicates")
    func remoteCandidatesWait() {
        let early = AttemptStateMachineSearch.candidates
        var machine = caller(
            after: [.offerCreated(offer)] + (early + early).map { .candidateReceived($0) }
        )
        let effects = machine.handle(.answerReceived(.init(answer), offerID: nil))
        #expect(effects.compactMap(\.addedCandidate) == Array(early.prefix(2)))
        #expect(effects.first == .apply(answer: .init(answer)))
    }

    @Test("The number of candidates stored before the answer is bounded")
    func flood() {
        let flood = (0..<5000).map { CallEvent.candidateReceived(.init(candidate: "candidate:\($0)")) }
        var machine = caller(after: [.offerCreated(offer)] + flood)
        let effects = machine.handle(.answerReceived(.init(answer), offerID: nil))
        #expect(effects.compactMap(\.addedCandidate).count == AttemptStateMachine.maximumCandidates)
    }

    @Test("Candidates received after the answer count toward the same limit, and duplicates are ignored")
    func lateFlood() {
        let flood = (0..<500).map { CallEvent.candidateReceived(.init(candidate: "candidate:\($0)")) }
        var machine = caller(after: [.offerCreated(offer)] + flood.prefix(100))
        var effects = machine.handle(.answerReceived(.init(answer), offerID: nil))
        for event in flood { effects += machine.handle(event) }
        let added = effects.compactMap(\.addedCandidate)
        #expect(added.count == AttemptStateMachine.maximumCandidates)
        #expect(Set(added).count == added.count)
    }

    @Test("An unanswered offer ends the attempt at a deadline, except an offer to an unknown peer")
    func unanswered() {
        var machine = caller(after: [.offerCreated(offer)])
        _ = machine.handle(.deadlineReached(.description))
        #expect(machine.end == .unanswered)

        var blind = AttemptStateMachine(role: .caller, isBlind: true)
        _ = blind.handle(.start)
        #expect(!blind.handle(.offerCreated(offer)).contains(.startDeadline(.description)))
    }

    @Test("A ringing message cancels the deadline for the answer")
    func ringing() {
        var machine = caller(after: [.offerCreated(offer), .ringingReceived(offerID: "mine")])
        #expect(machine.state == .ringing)
        _ = machine.handle(.deadlineReached(.description))
        #expect(machine.state == .ringing)
        _ = machine.handle(.answerReceived(.init(answer), offerID: "mine"))
        #expect(machine.state == .connecting)
    }

    @Test("The deadline for session descriptions ends an attempt only if the answer is not yet applied")
    func answerDeadline() {
        let connecting: [CallEvent] = [.offerCreated(offer), .answerReceived(.init(answer), offerID: nil)]
        var late = caller(after: connecting)
        _ = late.handle(.deadlineReached(.description))
        #expect(late.end == .timedOut(.description))

        var inTime = caller(after: connecting + [.answerApplied])
        _ = inTime.handle(.deadlineReached(.description))
        #expect(inTime.state == .connecting)
        _ = inTime.handle(.deadlineReached(.connection))
        #expect(inTime.end == .timedOut(.connection))
    }

    @Test("A duplicate offer is answered with the stored answer")
    func doubledOffer() throws {
        let received = try AttemptStateMachineSearch.offer("peer", version: 1)
        var machine = machine(.callee, after: [.offerReceived(received), .answerCreated(answer)])
        let again = [CallEffect.send(.answer(.init(answer), offerID: "peer"))]
        #expect(machine.handle(.offerReceived(received)) == again)
        _ = machine.handle(.media(.connected))
        #expect(machine.handle(.offerReceived(received)) == again)
        #expect(machine.state == .connected)
    }

    @Test("An offer with a higher o= version starts a renegotiation, whose failure does not end the call")
    func renegotiation() throws {
        let first = try AttemptStateMachineSearch.offer("peer", version: 1)
        let second = try AttemptStateMachineSearch.offer("peer", version: 2)
        var machine = machine(
            .callee,
            after: [.offerReceived(first), .answerCreated(answer), .media(.connected)]
        )
        #expect(machine.handle(.offerReceived(second)) == [.createAnswer(to: second)])
        var refused = machine
        #expect(machine.handle(.answerCreated("v=0\n")) == [.send(.answer(.init("v=0\n"), offerID: "peer"))])
        #expect(refused.handle(.answerRefused(.badDescription("no"))).isEmpty)
        #expect(refused.state == .connected)
        // The answer to the first offer is none to the second one.
        #expect(refused.handle(.offerReceived(second)).isEmpty)
        #expect(machine.handle(.offerReceived(first)).isEmpty)
    }

    @Test("Offers after the thousandth renegotiation of an attempt are ignored, and the call goes on")
    func manyRenegotiations() throws {
        let offers = try (0...1001).map { try AttemptStateMachineSearch.offer("peer", version: $0) }
        var machine = machine(
            .callee,
            after: [.offerReceived(offers[0]), .answerCreated(answer), .media(.connected)]
        )
        let sent = [CallEffect.send(.answer(.init(answer), offerID: "peer"))]
        for offer in offers[1...999] {
            #expect(machine.handle(.offerReceived(offer)) == [.createAnswer(to: offer)])
            #expect(machine.handle(.answerCreated(answer)) == sent)
        }
        #expect(machine.handle(.offerReceived(offers[1000])) == [.createAnswer(to: offers[1000])])
        #expect(machine.handle(.offerReceived(offers[1001])).isEmpty)
        #expect(machine.handle(.answerCreated(answer)) == sent)
        for _ in 0..<2 { #expect(machine.handle(.offerReceived(offers[1001])).isEmpty) }
        #expect(machine.handle(.offerReceived(offers[1000])) == sent)
        #expect(machine.state == .connected)
    }

    @Test("Only the newest offer that arrives during a renegotiation is answered")
    func offersInARow() throws {
        let offers = try (1...9).map { try AttemptStateMachineSearch.offer("peer", version: $0) }
        var machine = machine(
            .callee,
            after: [.offerReceived(offers[0]), .answerCreated(answer), .media(.connected)]
        )
        #expect(machine.handle(.offerReceived(offers[1])) == [.createAnswer(to: offers[1])])
        for offer in offers[2...] { #expect(machine.handle(.offerReceived(offer)).isEmpty) }
        #expect(machine.handle(.offerReceived(offers[3])).isEmpty)
        var refused = machine
        #expect(refused.handle(.answerRefused(.badDescription("no"))) == [.createAnswer(to: offers[8])])
        #expect(machine.handle(.answerCreated("v=0\n")) == [.createAnswer(to: offers[8])])
        let newest = [CallEffect.send(.answer(.init("v=0\ns=9\n"), offerID: "peer"))]
        #expect(machine.handle(.answerCreated("v=0\ns=9\n")) == newest)
        #expect(machine.handle(.offerReceived(offers[8])) == newest)
    }

    @Test("A restart request for an older offer is answered with the current offer and its candidates")
    func offerRepeated() {
        let early = ICECandidate(candidate: "candidate:1", sdpMid: "0")
        let late = ICECandidate(candidate: "candidate:2", sdpMid: "0")
        var machine = caller(after: [
            .media(.localCandidate(early)), .offerCreated(offer), .media(.localCandidate(late)),
        ])
        #expect(
            machine.handle(.restartReceived(offerID: "older"))
                == [.send(.offer(.init(offer))), .send(.candidate(early)), .send(.candidate(late))]
        )
        #expect(machine.state == .awaitingAnswer)
    }

    @Test("A media stall ends only a connected attempt")
    func stall() {
        var machine = caller(after: [.offerCreated(offer), .answerReceived(.init(answer), offerID: nil)])
        _ = machine.handle(.media(.stalled))
        #expect(machine.state == .connecting)
        _ = machine.handle(.media(.connected))
        _ = machine.handle(.media(.stalled))
        #expect(machine.end == .stalled)
    }

    @Test("An answer that cannot be parsed ends the attempt with a failure")
    func garbageAnswer() {
        var machine = caller(after: [.offerCreated(offer)])
        _ = machine.handle(.answerReceived(.init("garbage"), offerID: nil))
        guard case .failed(.badDescription) = machine.end else {
            Issue.record("ended with \(String(describing: machine.end))")
            return
        }
    }
}
