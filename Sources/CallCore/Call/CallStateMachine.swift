/// The call around its attempts, from the first to the last, as a value like `AttemptStateMachine`.
///
/// Its inputs by origin: the room (`RoomEvent`s and what they changed), the user (`CallCommand`s), the
/// attempt that lives (`AttemptReport`s), the clock (`RoomTimer`s). At most one attempt lives at a time:
/// where another must follow, this one is stopped first and its end waited for.
package struct CallStateMachine: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Callee: a person is asked whether to answer the held offer.
        case asking
        /// An attempt lives.
        case attempting
        /// An attempt was told to stop; what follows waits for its end.
        case replacing(Successor)
        /// Caller: an attempt failed, the next waits for the clock.
        case backingOff
        /// Caller: the next attempt waits for our socket or for the peer.
        case awaitingPeer
        /// Callee: an attempt failed, the next begins with the caller's next offer.
        case awaitingOffer
        /// The end is told; waits a moment for the peer's hangup, to know that it understood.
        case leaving
        case over
    }

    enum Successor: Hashable, Sendable {
        case attempt
        case end(CallEnd)
    }

    package let role: Role
    var options: CallOptions
    var phase = Phase.attempting
    var peer: Participant?
    /// Whether the peer was never told, and this is one who came where it may have come back.
    var isPeerGuessed = false
    /// As whom the peer itself speaks, from its first description on; empty where it does not say.
    var voice: String?
    /// As whom this attempt's answer, which is not yet proved good, was given.
    var speaker: String?
    /// Whether the peer has perhaps left, which its media will show.
    var isLeavingDoubted = false
    /// Whether the peer's leaving was told while media flows, and is held back: perhaps the server is stopping.
    var isLeavingHeld = false
    /// The name of the peer that was reported last.
    private var reportedPeer: String?
    /// The state of the attempt that lives.
    var attemptState: AttemptStateMachine.State?
    /// Of the attempt that began last, counted from one.
    var attempt = 1
    /// Of the attempt to come; a blind offer that nobody answered gives its own back.
    var nextAttempt = 1
    /// Failed attempts since media last flowed, as far as they count.
    var failures = 0
    /// All of them, for the backoff.
    var delays = 0
    /// How often the next attempt has begun before its time since media last flowed, because the peer asked
    /// for it or an address came.
    var hurries = 0
    static let maximumHurries = 3
    /// Callee: how often it has asked again for the offer that it awaits.
    var asked = 0
    /// What is known of the way to the peer.
    var route = Route()
    var isBlind = false
    /// Whether the peer, or the person here, has ever answered.
    var isAnswered = false
    /// Whether the ring timer runs.
    var isRinging = false
    /// Whether a peer whose name was never told may still hold the socket under which it answered.
    var isPeerSocketUntold = true
    var wasHeld = false
    /// Whether a person at the peer was asked until the call ended.
    var wasRinging = false
    /// Callee: the offer whose attempt is to begin, or that was made while the call was ending.
    var held: HeldOffer?
    /// The ufrags of this call's offers, the current one last.
    var offers: [String] = []
    var awaitsHangUp = false
    var lastFailure: AttemptEnd?
    var setup = CallSetup()
    /// Of the attempt that began last.
    var path = PathFacts()
    var summary: CallSummary?
    var media = MediaStateExchange()
    var leavesRoom = false
    /// What the event in hand has led to so far.
    var actions: [CallAction] = []

    package init(role: Role, options: CallOptions) {
        self.role = role
        self.options = options
    }

    /// What the call came to, once it is over.
    package var outcome: CallOutcome? {
        guard phase == .over, let summary else { return nil }
        return CallOutcome(summary: summary, nextOffer: held, leavesRoom: leavesRoom)
    }

    package mutating func open(_ opening: CallStart, _ room: inout PresenceTracker) -> [CallAction] {
        switch opening {
        case .dial(let participant):
            name(participant)
        case .dialBlindly:
            isBlind = true
        case .incoming(let offer, let participant):
            name(participant)
            held = offer
            recognize(offer, &room)
        case .unusable(let failure, let participant):
            name(participant)
            (attempt, nextAttempt) = (nextAttempt, nextAttempt + 1)
            report(.started(role: role, attempt: attempt, blind: false))
            judge(.failed(failure), &room)
            return drained()
        }
        if role == .callee && !options.autoAnswers { ask(&room) } else { begin(&room) }
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

    /// Ends the call where nobody listens any more: the task was cancelled and the attempt is gone.
    package mutating func abandon() -> (CallOutcome, [CallAction]) {
        let summary = summary ?? close(.hungUp(by: .us))
        phase = .over
        return (CallOutcome(summary: summary, nextOffer: nil, leavesRoom: true), drained())
    }

    /// Takes the participant for the peer whose name is known as the call opens.
    private mutating func name(_ participant: Participant?) {
        peer = participant
        reportedPeer = participant?.username
    }

    private mutating func drained() -> [CallAction] {
        defer { actions = [] }
        // The summary tells the name as well.
        if let name = peer?.username, !name.isEmpty, name != reportedPeer, summary == nil {
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

    /// Whether packets are arriving, as far as we know.
    var isMediaFlowing: Bool { phase == .attempting && attemptState == .connected }

    var isEnding: Bool {
        switch phase {
        case .replacing(.end), .leaving, .over: true
        case .asking, .attempting, .replacing(.attempt), .backingOff, .awaitingPeer, .awaitingOffer: false
        }
    }

    private mutating func ask(_ room: inout PresenceTracker) {
        phase = .asking
        guard let held else { return }
        note(offer: held.offer.id)
        actions.append(.send(.ringing(offerID: held.offer.id)))
        report(.state(.ringing))
        actions.append(.start(room.arm(.ring), options.askTimeout))
    }

    mutating func begin(_ room: inout PresenceTracker) {
        phase = .attempting
        attemptState = .idle
        speaker = nil
        path = PathFacts()
        (attempt, nextAttempt) = (nextAttempt, nextAttempt + 1)
        if isBlind, let participant = room.reachablePeer {
            // It came while the last blind attempt was being stopped.
            isBlind = false
            peer = participant
        }
        report(.started(role: role, attempt: attempt, blind: isBlind))
        var first: [CallEvent] = [.start]
        if role == .caller {
            report(.state(isBlind ? .callingBlindly : .calling))
            if !isRinging && !isAnswered && options.retries == nil && !isBlind {
                isRinging = true
                actions.append(.start(room.arm(.ring), options.ringTimeout))
            }
        } else if let held {
            recognize(held, &room)
            note(offer: held.offer.id)
            path.addRemote(ofDescription: held.offer.sdp)
            for candidate in held.candidates { path.remote.add(candidate.candidate) }
            first = [.offerReceived(held.offer)] + held.candidates.map { .candidateReceived($0) }
        }
        held = nil
        actions.append(
            .begin(AttemptStateMachine(role: role, isBlind: isBlind, addressee: addressee), first: first)
        )
    }

    /// Stops the attempt that lives, for another to follow.
    mutating func replaceAttempt() {
        if isBlind { nextAttempt = attempt }
        phase = .replacing(.attempt)
        actions.append(.tell(.stop))
    }

    mutating func note(offer id: String) {
        offers.removeAll { $0 == id }
        offers.append(id)
        if offers.count > 64 { offers.removeFirst() }
    }

    /// Ends the call: tells the peer, stops the attempt and waits for its end.
    mutating func end(_ end: CallEnd, _ room: inout PresenceTracker) {
        guard !isEnding else { return }
        isLeavingHeld = false
        tellPeer(of: end, &room)
        if phase == .attempting || phase == .replacing(.attempt) {
            if phase == .attempting { actions.append(.tell(.stop)) }
            phase = .replacing(.end(end))
            held = nil
        } else {
            held = nil
            close(end)
        }
    }

    private mutating func tellPeer(of end: CallEnd, _ room: inout PresenceTracker) {
        guard end.isNewsToPeer, let offer = offers.last else { return }
        let isDeclined = end == .declined(by: .us)
        guard isDeclined || !options.leavesRoom && !isBlind else { return }
        actions.append(.send(.hangup(offerID: offer, reason: isDeclined ? "declined" : nil)))
        guard !options.leavesRoom, room.isConnected else { return }
        awaitsHangUp = true
        actions.append(.start(room.arm(.hangUp), options.hangUpTimeout))
    }

    @discardableResult
    mutating func close(_ end: CallEnd) -> CallSummary {
        let summary = CallSummary(
            end: end,
            message: message(for: end),
            peer: peer?.username,
            attempt: attempt,
            setup: setup,
            wasHeld: wasHeld,
            wasRinging: wasRinging,
            lastFailure: lastFailure,
            path: path
        )
        self.summary = summary
        report(.state(.ended(end)))
        report(.ended(summary))
        phase = awaitsHangUp ? .leaving : .over
        return summary
    }
}
