import CallCore
import Testing

/// Invariants of the attempt state machine, checked in every state that any sequence of events can reach.
@Suite("Attempt state machine, every reachable state")
struct AttemptStateMachineInvariantTests {
    static let starts = [
        AttemptStateMachine(role: .caller), AttemptStateMachine(role: .caller, isBlind: true),
        AttemptStateMachine(role: .callee),
    ]

    private static let waitingForDescription: Set<AttemptStateMachine.State> = [.idle, .offering, .answering]

    @Test("An ended attempt ignores every event", arguments: starts)
    func endIsFinal(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) where step.before.end != nil {
            #expect(step.after == step.before && step.effects.isEmpty)
        }
    }

    @Test("A stop or a media failure ends every running attempt at once", arguments: starts)
    func everythingCanEnd(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) where step.before.end == nil {
            switch step.event {
            case .stop: #expect(step.after.end == .stopped && step.effects.isEmpty)
            case .media(.failed(let failure)): #expect(step.after.end == .failed(failure))
            case .media(.addressLost(let address)): #expect(step.after.end == .addressLost(address))
            case .media(.addressGained(let address)):
                #expect(step.after.end == (step.before.state == .connected ? nil : .addressGained(address)))
            default: break
            }
        }
    }

    @Test("Remote candidates of the same attempt are added after the remote description", arguments: starts)
    func candidatesAdded(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) {
            for (index, effect) in step.effects.enumerated() {
                guard let candidate = effect.addedCandidate else { continue }
                #expect(step.after.hasRemoteDescription)
                #expect(candidate.usernameFragment != "stranger")
                let applied = step.effects.prefix(index).contains {
                    $0 == .apply(answer: .init(AttemptStateMachineSearch.answer))
                }
                #expect(step.before.hasRemoteDescription || applied || step.before.state == .answering)
            }
        }
    }

    @Test("Non-empty local candidates are sent after the local description", arguments: starts)
    func candidatesSent(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) {
            for (index, effect) in step.effects.enumerated() {
                guard let candidate = effect.sentCandidate else { continue }
                #expect(!candidate.isEndOfCandidates)
                let isAfterDescription = step.effects.prefix(index).contains(where: \.isDescription)
                #expect(isAfterDescription || !Self.waitingForDescription.contains(step.before.state))
            }
        }
    }

    @Test("Each attempt opens the media session exactly once, as its first effect", arguments: starts)
    func mediaOpenedOnce(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) {
            #expect(
                step.effects.contains(.openMedia) == (step.before.state == .idle && !step.effects.isEmpty)
            )
            #expect(!step.effects.dropFirst().contains(.openMedia))
        }
    }

    @Test("The states offering, awaiting answer, answering and connecting have deadlines", arguments: starts)
    func deadlines(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start)
        where step.after.state != step.before.state {
            switch step.after.state {
            case .awaitingAnswer:
                let deadline: CallDeadline = start.isBlind ? .repetition(0) : .description
                #expect(step.effects.contains(.startDeadline(deadline)))
            case .answering: #expect(step.effects.contains(.startDeadline(.description)))
            case .connecting: #expect(step.effects.contains(.startDeadline(.connection)))
            case .offering: #expect(step.effects.contains(.startDeadline(.preparation)))
            case .idle, .ringing, .connected, .ended: break
            }
        }
    }

    @Test("A caller never creates an answer, and a callee never creates an offer", arguments: starts)
    func roles(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) {
            for effect in step.effects {
                switch effect {
                case .createAnswer, .send(.answer): #expect(start.role == .callee)
                case .createOffer, .apply, .send(.offer): #expect(start.role == .caller)
                case .openMedia, .add, .send, .fail, .startDeadline: break
                }
            }
        }
    }

    @Test("A restart request ends a caller's attempt only if it names the current offer", arguments: starts)
    func restarts(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) where step.before.end == nil {
            guard case .restartReceived(let id) = step.event else { continue }
            let unanswered: [AttemptStateMachine.State] = [.awaitingAnswer, .ringing]
            let states = unanswered + [.connecting, .connected]
            let isMeant = start.role == .caller && id == "mine" && states.contains(step.before.state)
            let end: AttemptEnd = unanswered.contains(step.before.state) ? .givenUp : .peerLost
            #expect(step.after.end == (isMeant ? end : nil))
            let isBehind = start.role == .caller && id == "older" && step.before.state == .awaitingAnswer
            #expect(isMeant || isBehind || step.after == step.before)
            #expect(isMeant || step.after.state == step.before.state)
            // The number of repetitions is limited, so the offer is not repeated for every such request.
            let isOfferRepeated = isBehind && step.after != step.before
            #expect(
                step.effects.first
                    == (isOfferRepeated ? .send(.offer(.init(AttemptStateMachineSearch.ownOffer))) : nil)
            )
        }
    }

    @Test("Only an offer to an unknown peer is repeated until it is answered", arguments: starts)
    func repetitions(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) {
            guard case .deadlineReached(.repetition(let number)) = step.event else { continue }
            #expect(step.after == step.before)
            guard start.isBlind && step.before.state == .awaitingAnswer else {
                #expect(step.effects.isEmpty)
                continue
            }
            #expect(step.effects.first == .send(.offer(.init(AttemptStateMachineSearch.ownOffer))))
            let next = min(number + 1, CallDeadline.lastRepetition)
            #expect(step.effects.last == .startDeadline(.repetition(next)))
        }
    }

    @Test("An answer or a ringing message that names another offer is ignored", arguments: starts)
    func otherOffers(start: AttemptStateMachine) throws {
        for step in try AttemptStateMachineSearch.everyStep(from: start) {
            switch step.event {
            case .answerReceived(_, "older"), .ringingReceived("older"):
                #expect(step.after == step.before && step.effects.isEmpty)
            default: break
            }
        }
    }

    @Test("Every state of a caller and of a callee is reachable", arguments: starts)
    func allReached(start: AttemptStateMachine) throws {
        let steps = try AttemptStateMachineSearch.everyStep(from: start)
        let reached = Set(steps.map(\.after.state))
        let expected: Set<AttemptStateMachine.State> =
            start.role == .caller
            ? [.idle, .offering, .awaitingAnswer, .ringing, .connecting, .connected]
            : [.idle, .answering, .connecting, .connected]
        #expect(expected == reached.filter { if case .ended = $0 { false } else { true } })
        #expect(reached.contains(.ended(.unanswered)) == (start.role == .caller && !start.isBlind))
    }
}

extension AttemptStateMachine {
    /// Whether the remote description has been applied, so that remote candidates may be added.
    fileprivate var hasRemoteDescription: Bool {
        switch state {
        case .connecting, .connected: true
        case .idle, .offering, .awaitingAnswer, .ringing, .answering, .ended: false
        }
    }
}
