/// The state machine of a call around its attempts, a value like `AttemptStateMachine`.
///
/// Its inputs by origin: the room (`RoomEvent`s and the presence changes that they caused), the user
/// (`CallCommand`s), the running attempt (`AttemptReport`s), the clock (`RoomTimer`s). At most one attempt
/// runs at a time: before another one begins, the running one is stopped and its end is awaited.
package struct CallStateMachine: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        /// Callee: a person is asked whether to answer the held offer.
        case asking
        /// An attempt is running.
        case attempting
        /// An attempt is being stopped, and the successor waits for its end.
        case replacing(Successor)
        /// Caller: an attempt failed, and the next one waits for its delay.
        case backingOff
        /// Caller: the next attempt waits for our socket or for the peer.
        case awaitingPeer
        /// Callee: an attempt failed, and the next one begins with the caller's next offer.
        case awaitingOffer
        /// The end has been sent; the call waits a moment for the peer's hangup as a confirmation.
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
    /// Whether `peer` is only assumed: its name was never reported, and this participant came during the
    /// call.
    var isPeerGuessed = false
    /// The sender name that the peer uses, known from its first description on; empty if it uses none.
    var peerSenderName: String?
    /// The sender name of this attempt's answer, which has not been applied yet.
    var answerSenderName: String?
    /// Whether the peer may have left, which its media will show.
    var isLeavingDoubted = false
    /// Whether a leave of the peer is held back while media flows, as the server may be shutting down.
    var isLeavingHeld = false
    /// The last reported name of the peer.
    private var reportedPeer: String?
    /// The state of the running attempt.
    var attemptState: AttemptStateMachine.State?
    /// The number of the attempt that began last, counted from one.
    var attempt = 1
    /// The number of the next attempt; an unanswered blind offer does not use up its number.
    var nextAttempt = 1
    /// The number of failed attempts since media last flowed that count against the retry budget.
    var failures = 0
    /// The number of all retries since media last flowed, which selects the backoff.
    var delays = 0
    /// The number of attempts begun early since media last flowed, on the peer's request or for a new
    /// address.
    var hurries = 0
    static let maximumHurries = 3
    /// Callee: the number of times that the awaited offer was requested again.
    var asked = 0
    /// The search for the path to the peer, over the attempts of the call.
    var route = Route()
    var isBlind = false
    /// Whether the peer, or the person here, has ever answered.
    var isAnswered = false
    /// Whether the ring timer is running.
    var isRinging = false
    /// Whether a peer whose name was never reported may still hold the socket on which it answered.
    var isPeerSocketUntold = true
    var wasHeld = false
    /// Whether a person at the peer was being asked until the call ended.
    var wasRinging = false
    /// Callee: the offer of the next attempt, or one that arrived while the call was ending.
    var held: HeldOffer?
    /// The ufrags of this call's offers, the current one last.
    var offers: [String] = []
    var awaitsHangUp = false
    var lastFailure: AttemptEnd?
    var setup = CallSetup()
    /// The path facts of the attempt that began last.
    var path = PathFacts()
    var summary: CallSummary?
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

    /// Ends the call after its task was cancelled and its attempt is gone.
    package mutating func abandon() -> (CallOutcome, [CallAction]) {
        let summary = summary ?? close(.hungUp(by: .us))
        phase = .over
        return (CallOutcome(summary: summary, nextOffer: nil, leavesRoom: true), drained())
    }

    /// Sets the peer, whose name is known when the call opens.
    private mutating func name(_ participant: Participant?) {
        peer = participant
        reportedPeer = participant?.username
    }

    private mutating func drained() -> [CallAction] {
        defer { actions = [] }
        // The summary contains the name as well.
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
        answerSenderName = nil
        path = PathFacts()
        (attempt, nextAttempt) = (nextAttempt, nextAttempt + 1)
        if isBlind, let participant = room.reachablePeer {
            // The peer came while the last blind attempt was being stopped.
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

    /// Stops the running attempt so that another one can follow.
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

    /// Ends the call: informs the peer, stops the attempt and waits for its end.
    mutating func end(_ end: CallEnd, _ room: inout PresenceTracker) {
        guard !isEnding else { return }
        isLeavingHeld = false
        informPeer(of: end, &room)
        if phase == .attempting || phase == .replacing(.attempt) {
            if phase == .attempting { actions.append(.tell(.stop)) }
            phase = .replacing(.end(end))
            held = nil
        } else {
            held = nil
            close(end)
        }
    }

    private mutating func informPeer(of end: CallEnd, _ room: inout PresenceTracker) {
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
