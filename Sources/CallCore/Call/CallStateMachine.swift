/// The state machine of a call, which begins and stops the call's attempts.
///
/// Like `AttemptStateMachine`, it is a value without clock, thread or socket. Its inputs come from the room
/// (`RoomEvent`s and the presence changes that they caused), the user (`CallCommand`s), the running attempt
/// (`AttemptReport`s) and the clock (`RoomTimer`s). At most one attempt runs at a time: before another one
/// begins, the running one is stopped and its end is awaited.
package struct CallStateMachine: Hashable, Sendable {
    package let role: Role
    var options: CallOptions
    var phase = CallPhase.attempting(.init())
    var peer = CallPeer.unknown
    /// The sender name in the peer's messages; empty if they have none, and nil before its first description.
    var peerSenderName: String?
    /// The sender name of the answer in the last attempt; empty if the answer has none, nil before it
    /// arrives.
    var answerSenderName: String?
    /// Whether a leave of the peer was reported that only a loss of its media would confirm.
    var isLeavingDoubted = false
    /// The peer's name as it was last reported, or as it was known at the beginning of the call.
    private var reportedPeer: String?
    /// The number of the attempt that began last, counted from one.
    var attempt = 1
    /// The number of the next attempt; replacing an unanswered offer to an unreported peer does not increase
    /// it.
    var nextAttempt = 1
    var retries = CallRetries()
    /// The state of the search for a network path to the peer, shared by the attempts of the call.
    var route = Route()
    var isBlind = false
    /// Whether the peer or the user on this side has answered the call.
    var isAnswered = false
    /// Whether the ring timer is running.
    var isRinging = false
    /// Whether a peer whose name was never reported may still use the socket through which it answered.
    var isPeerSocketUnreported = true
    var wasHeld = false
    /// The ufrags of this call's offers, the current one last.
    var offers: [String] = []
    var lastFailure: AttemptEnd?
    var setup = CallSetup()
    /// The ICE candidates and the ICE progress of the attempt that began last.
    var path = PathFacts()
    var media = MediaStateExchange()
    var leavesRoom = false
    /// The actions caused so far by the event being handled.
    var actions: [CallAction] = []

    package init(role: Role, options: CallOptions) {
        self.role = role
        self.options = options
    }

    /// The outcome of the call, once it is over.
    package var outcome: CallOutcome? {
        guard case .over(let summary, let next) = phase else { return nil }
        return CallOutcome(summary: summary, nextOffer: next, leavesRoom: leavesRoom)
    }

    package mutating func open(_ opening: CallStart, _ room: inout PresenceTracker) -> [CallAction] {
        var first: HeldOffer?
        switch opening {
        case .dial(let participant):
            name(participant)
        case .dialBlindly:
            isBlind = true
        case .incoming(let offer, let participant):
            name(participant)
            first = offer
            recognize(offer, &room)
        case .unusable(let failure, let participant):
            name(participant)
            (attempt, nextAttempt) = (nextAttempt, nextAttempt + 1)
            report(.started(role: role, attempt: attempt, blind: false))
            judge(.failed(failure), &room)
            return drained()
        }
        if let first, role == .callee && !options.autoAnswers {
            ask(first, &room)
        } else {
            begin(with: first, &room)
        }
        return drained()
    }

    package mutating func handle(_ input: RoomInput, _ room: inout PresenceTracker) -> [CallAction] {
        switch input {
        case .room(let event, let changes):
            for change in changes { handle(change, &room) }
            handle(event, &room)
        case .command(let command): handle(command, &room)
        case .attempt(let report): handle(report, &room)
        case .timer(let timer): handle(timer.kind, &room)
        case .mediaPrepared, .ownMedia: break
        }
        exchangeMediaStates(&room)
        return drained()
    }

    /// Ends the call after its task was cancelled and its attempt has ended.
    package mutating func abandon() -> (CallOutcome, [CallAction]) {
        let summary = phase.summary ?? close(.hungUp(by: .us))
        phase = .over(summary, next: nil)
        return (CallOutcome(summary: summary, nextOffer: nil, leavesRoom: true), drained())
    }

    /// Sets the peer at the beginning of the call, if it is known.
    private mutating func name(_ participant: Participant?) {
        peer = CallPeer(participant)
        reportedPeer = participant?.username
    }

    private mutating func drained() -> [CallAction] {
        defer { actions = [] }
        // After the end of the call, its summary contains the name.
        if let name = peer.participant?.username, !name.isEmpty, name != reportedPeer, phase.summary == nil {
            reportedPeer = name
            report(.peer(name))
        }
        return actions
    }
}

// MARK: - Steps

extension CallStateMachine {
    mutating func report(_ report: CallReport) {
        actions.append(.report(report))
    }

    /// Whether the running attempt is connected and has not stalled, so that media flows.
    var isMediaFlowing: Bool {
        if case .attempting(let attempt) = phase { attempt.state == .connected } else { false }
    }

    private mutating func ask(_ offer: HeldOffer, _ room: inout PresenceTracker) {
        phase = .asking(offer)
        note(offer: offer.offer.id)
        actions.append(.send(.ringing(offerID: offer.offer.id)))
        report(.state(.ringing))
        actions.append(.start(room.arm(.ring), options.askTimeout))
    }

    /// Begins an attempt; a callee needs an offer for it.
    mutating func begin(with offer: HeldOffer? = nil, _ room: inout PresenceTracker) {
        phase = .attempting(.init())
        answerSenderName = nil
        path = PathFacts()
        (attempt, nextAttempt) = (nextAttempt, nextAttempt + 1)
        if isBlind, let participant = room.reachablePeer {
            // The peer arrived while the last blind attempt was being stopped.
            isBlind = false
            peer.update(participant)
        }
        report(.started(role: role, attempt: attempt, blind: isBlind))
        var first: [CallEvent] = [.start]
        if role == .caller {
            report(.state(isBlind ? .callingBlindly : .calling))
            if !isRinging && !isAnswered && options.retries == nil && !isBlind {
                isRinging = true
                actions.append(.start(room.arm(.ring), options.ringTimeout))
            }
        } else if let offer {
            recognize(offer, &room)
            note(offer: offer.offer.id)
            path.addRemote(of: offer.offer.description)
            for candidate in offer.candidates { path.remote.add(candidate.candidate) }
            first = [.offerReceived(offer.offer)] + offer.candidates.map { .candidateReceived($0) }
        }
        actions.append(
            .begin(AttemptStateMachine(role: role, isBlind: isBlind, addressee: addressee), first: first)
        )
    }

    /// Stops the running attempt and begins another one after its end; a callee needs an offer for that one.
    mutating func replaceAttempt(with offer: HeldOffer? = nil) {
        guard case .attempting(let running) = phase else { return }
        if isBlind { nextAttempt = attempt }
        phase = .replacing(running, by: .attempt(offer))
        actions.append(.forward(.stop))
    }

    mutating func note(offer id: String) {
        offers.removeAll { $0 == id }
        offers.append(id)
        if offers.count > 64 { offers.removeFirst() }
    }

    /// Ends the call: informs the peer, stops the attempt and waits for its end.
    mutating func end(_ end: CallEnd, wasRinging: Bool = false, _ room: inout PresenceTracker) {
        guard !phase.isEnding else { return }
        let awaits = informPeer(of: end, &room)
        let ending = CallPhase.Ending(end: end, wasRinging: wasRinging, awaitsHangUp: awaits)
        switch phase {
        case .attempting(let running):
            actions.append(.forward(.stop))
            phase = .replacing(running, by: .end(ending))
        case .replacing(let running, _): phase = .replacing(running, by: .end(ending))
        case .asking, .backingOff, .awaitingPeer, .awaitingOffer, .leaving, .over: close(ending)
        }
    }

    /// Sends a hangup if the peer needs one; returns whether the peer is expected to confirm it.
    private mutating func informPeer(of end: CallEnd, _ room: inout PresenceTracker) -> Bool {
        guard end.mustInformPeer, let offer = offers.last else { return false }
        let isDeclined = end == .declined(by: .us)
        guard isDeclined || !options.leavesRoom && !isBlind else { return false }
        actions.append(.send(.hangup(offerID: offer, reason: isDeclined ? "declined" : nil)))
        guard !options.leavesRoom, room.isConnected else { return false }
        actions.append(.start(room.arm(.hangUp), options.hangUpTimeout))
        return true
    }

    mutating func close(_ ending: CallPhase.Ending) {
        let summary = close(ending.end, wasRinging: ending.wasRinging)
        phase = ending.awaitsHangUp ? .leaving(summary, next: ending.next) : .over(summary, next: ending.next)
    }

    /// Reports the end of the call.
    private mutating func close(_ end: CallEnd, wasRinging: Bool = false) -> CallSummary {
        let summary = CallSummary(
            end: end,
            message: message(for: end),
            peer: peer.participant?.username,
            attempt: attempt,
            setup: setup,
            wasHeld: wasHeld,
            wasRinging: wasRinging,
            lastFailure: lastFailure,
            path: path
        )
        report(.state(.ended(end)))
        report(.ended(summary))
        return summary
    }
}
