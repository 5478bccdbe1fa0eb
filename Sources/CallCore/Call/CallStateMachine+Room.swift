// Handling of room events during a call.

extension CallStateMachine {
    mutating func handle(_ event: RoomEvent, _ room: inout PresenceTracker) {
        switch event {
        case .message(let message, let sender): handle(message, from: sender, &room)
        case .disconnected(_, _, let isSilent):
            forgetLeaving(&room)
            if isSilent { startSilenceTimer(&room) } else { handlePeerOutOfReach(&room) }
        case .failed(let failure):
            if !isMediaFlowing { end(wasHeld ? .peerLeft : .signaling(failure), &room) }
        case .roomState:
            startAbsenceTimer(&room)
            retryIfPeerIsThere(&room)
        case .roomSilent:
            retryIfPeerIsThere(&room)
            offerAgainBlindly()
        case .joined:
            isPeerSocketUnreported = false
            resumeMediaStates()
            // Earlier requests were sent into a socket that was already dead.
            askForOffer()
        case .rejoining, .peerJoined, .peerLeft, .iceServers, .offerReduced: break
        }
    }

    /// Repeats an offer to an unreported peer after our socket has reconnected.
    ///
    /// A participant that arrived in the meantime has not received the offer and is not reported by the
    /// server.
    private mutating func offerAgainBlindly() {
        guard case .attempting(let running) = phase, isBlind, running.state.isOfferSentAndMediaDown else {
            return
        }
        replaceAttempt()
    }

    /// Ends the call if media had failed before our own socket was lost or the peer disappeared.
    private mutating func handlePeerOutOfReach(_ room: inout PresenceTracker) {
        switch phase {
        case .backingOff, .awaitingPeer, .awaitingOffer:
            if wasHeld { end(.peerLeft, &room) }
        case .asking, .attempting, .replacing, .leaving, .over: break
        }
    }

    /// Starts the timer that limits how long a person is asked to answer while the caller is missing.
    private mutating func startAbsenceTimer(_ room: inout PresenceTracker) {
        guard phase.isAsking, isPeerAbsent(room) else { return }
        actions.append(.start(room.arm(.silence), options.silenceTimeout))
    }

    mutating func retryIfPeerIsThere(_ room: inout PresenceTracker) {
        guard phase == .awaitingPeer, room.isConnected else { return }
        if !isPeerAbsent(room) { return begin(&room) }
        // Another participant is not this call's peer, and can be called only in a new call.
        if room.peer != nil { end(.peerLeft, &room) }
    }

    mutating func handle(_ change: PresenceChange, _ room: inout PresenceTracker) {
        switch change {
        case .appeared(let participant), .reappeared(let participant):
            name(participant, &room)
            if participant.username == peer.participant?.username { isLeavingDoubted = false }
            handlePeerArrival(participant, &room)
        case .left(let participant, let wasReported):
            guard isPeer(participant) || peer.isGuessed && !wasReported else { return }
            handlePeerLeave(participant, &room)
        case .leftPerhaps(let participant):
            if isPeer(participant) { doubt(participant, &room) } else { room.forget(participant) }
        // Both sockets may have been lost with the server, and the peer may be about to come back.
        case .missing(let participant): if isPeer(participant) { handlePeerOutOfReach(&room) }
        }
    }

    /// Handles the arrival or return of a possible peer, which needs a new offer unless it answered one
    /// before.
    private mutating func handlePeerArrival(_ participant: Participant, _ room: inout PresenceTracker) {
        guard role == .caller, participant.role != role else { return }
        guard isBlind || peer.participant.map({ $0.username == participant.username }) ?? true else { return }
        switch phase {
        case .attempting(let running):
            let isHeard = running.state == .connecting && !room.isPresenceReported
            guard isBlind || running.state.isOfferSentAndMediaDown, !isHeard else { return }
            peer.update(participant)
            replaceAttempt()
            isBlind = false
        case .backingOff, .awaitingPeer:
            peer.update(participant)
            isBlind = false
            begin(&room)
        case .asking, .replacing, .awaitingOffer, .leaving, .over: break
        }
    }
}

// MARK: - Messages

extension CallStateMachine {
    private mutating func handle(
        _ message: SignalMessage,
        from sender: String?,
        _ room: inout PresenceTracker
    ) {
        // A candidate carries the ufrag of its description, so its sender need not be checked.
        if case .candidate(let candidate) = message { return handle(candidate) }
        guard !isFromOtherPeer(sender, room) else {
            if case .offer(let offer) = message { handle(offer: offer, fromOtherPeer: sender, &room) }
            return
        }
        if sender != nil { isLeavingDoubted = false }
        switch message {
        case .offer(let offer): handle(offer: offer, from: sender, &room)
        case .answer(let answer, let id):
            if id == nil || id == offers.last { answerSenderName = answerSenderName ?? sender ?? "" }
            if let description = try? answer.description() { path.addRemote(of: description) }
            forward(.answerReceived(answer, offerID: id))
        case .ringing(let id): forward(.ringingReceived(offerID: id))
        case .candidate: break
        case .hangup(let id, let reason): handle(hangUp: id, reason: reason, from: sender, &room)
        case .restart(let id): handle(restart: id, &room)
        case .mediaState(let state, let id, let asks): handle(state, of: id, asks: asks)
        }
    }

    /// Handles a restart request of a peer that waits for a new offer: the next attempt begins early.
    ///
    /// The first delay of half a second is not shortened, and the number of early attempts is limited.
    /// Otherwise, media that fails as soon as it flows would cause a rapid loop of attempts.
    private mutating func handle(restart id: String?, _ room: inout PresenceTracker) {
        guard let id, offers.contains(id) else { return }
        forward(.restartReceived(offerID: id))
        guard phase == .backingOff, retries.delays > 1, retries.hurry() else { return }
        handle(RoomTimer.Kind.retry, &room)
    }

    /// Whether a hangup of the caller refers to an earlier offer although a newer offer has arrived.
    private func isOvertaken(hangUp id: String?) -> Bool {
        guard let id, role == .callee, !phase.isEnding else { return false }
        return id != phase.offer?.offer.id ?? offers.last
    }

    private mutating func forward(_ event: CallEvent) {
        if phase.isAttempting { actions.append(.forward(event)) }
    }

    private mutating func handle(_ candidate: ICECandidate) {
        // Candidates that arrive while an offer is stored belong to that offer: its sender has begun a new
        // attempt.
        if phase.offer != nil {
            phase.offer?.hold(candidate)
        } else {
            path.remote.add(candidate.candidate)
            forward(.candidateReceived(candidate))
        }
    }

    private mutating func handle(
        offer signaled: SignaledDescription,
        from sender: String?,
        _ room: inout PresenceTracker
    ) {
        // A caller does not answer offers.
        guard role == .callee else { return }
        let offer: SessionOffer
        do { offer = try SessionOffer(signaled) } catch {
            if phase.isAwaitingOffer { judge(.failed(error), &room) }
            return
        }
        if offer.id == offers.last {
            // The sender may not know that we gave up this offer.
            askForOffer()
            return forward(.offerReceived(offer))
        }
        guard !room.knows(offer: offer.id) else {
            // The sender still uses this offer. An older offer that arrived later was mistaken for its
            // successor.
            if phase.isAwaitingOffer { actions.append(.send(.restart(offerID: offer.id))) }
            return
        }
        room.note(offer: offer.id)
        // The peer left, came back and calls again.
        if holdsLeave { handlePeerDeparture(&room) }
        handle(new: HeldOffer(offer, from: sender), &room)
    }

    private mutating func handle(new offer: HeldOffer, _ room: inout PresenceTracker) {
        switch phase {
        case .attempting: replaceAttempt(with: offer)
        case .replacing: phase.offer = offer
        case .asking:
            phase = .asking(offer)
            note(offer: offer.offer.id)
            actions.append(.send(.ringing(offerID: offer.offer.id)))
        case .awaitingOffer: begin(with: offer, &room)
        // The peer calls again, so it knows that the last call is over.
        case .leaving(let summary, _): phase = .over(summary, next: offer)
        case .backingOff, .awaitingPeer, .over: break
        }
    }

    /// Handles a hangup: if it refers to the current call, confirms it and ends the call.
    ///
    /// While the call is ending, such a hangup is taken as the confirmation of ours. Other hangups are
    /// ignored.
    private mutating func handle(
        hangUp id: String?,
        reason: String?,
        from sender: String?,
        _ room: inout PresenceTracker
    ) {
        guard let current = offers.last, id.map(offers.contains) ?? true, !isOvertaken(hangUp: id) else {
            return
        }
        guard !phase.isEnding else {
            phase.confirmHangUp()
            return
        }
        actions.append(.send(.hangup(offerID: id ?? current, reason: nil)))
        if peer == .unknown { peer = CallPeer(sender.flatMap { room.sender($0) }) }
        end(reason == "declined" && !wasHeld ? .declined(by: .peer) : .hungUp(by: .peer), &room)
    }
}

extension AttemptStateMachine.State {
    /// Whether the offer has been sent, but media does not flow yet.
    fileprivate var isOfferSentAndMediaDown: Bool {
        switch self {
        case .awaitingAnswer, .ringing, .connecting: true
        case .idle, .offering, .answering, .connected, .ended: false
        }
    }
}
