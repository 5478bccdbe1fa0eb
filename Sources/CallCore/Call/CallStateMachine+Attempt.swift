// Handling of the attempt, the user and the clock during a call.

extension CallStateMachine {
    mutating func handle(_ attemptReport: AttemptReport, _ room: inout PresenceTracker) {
        switch attemptReport {
        case .state(let state): handle(state, &room)
        case .sent(let type, let bytes, let id):
            if let id, role == .caller {
                note(offer: id)
                room.note(offer: id)
            }
            report(.sdpSent(type, bytes: bytes))
        case .received(let type, let bytes): report(.sdpReceived(type, bytes: bytes))
        case .media(let event): handle(event, &room)
        case .firstFrame(let kind, let milliseconds):
            report(.firstFrame(kind, milliseconds: milliseconds))
        case .ended(let end, let times): attemptEnded(end, times, &room)
        }
    }

    private mutating func handle(_ state: AttemptStateMachine.State, _ room: inout PresenceTracker) {
        phase.attempt?.state = state
        if let shown = CallState(state) { report(.state(shown)) }
        switch state {
        case .ringing where !isRinging:
            isRinging = true
            actions.append(.start(room.arm(.ring), options.ringTimeout))
        case .connecting:
            isAnswered = true
            isBlind = false
            recognize(&room)
            isRinging = false
            room.disarm(.ring)
            room.disarm(.peer)
            expectPath(&room)
        case .connected:
            retries = CallRetries()
            route.connect()
            room.disarm(.path)
            lastFailure = nil
            report(.mediaConnected)
            expectPeerMedia(&room)
            guard !wasHeld else { return }
            wasHeld = true
            if let duration = options.duration {
                actions.append(.start(room.arm(.duration), duration))
            }
        case .idle, .offering, .awaitingAnswer, .ringing, .answering, .ended: break
        }
    }

    private mutating func handle(_ event: MediaEvent, _ room: inout PresenceTracker) {
        path.add(event)
        switch event {
        case .iceSelected(let local, let remote, let transport):
            report(.iceSelected(local: local, remote: remote, transport: transport))
        case .statistics(let statistics): report(.statistics(statistics))
        case .sourceEnded(let name): end(.sourceEnded(name), &room)
        case .iceConnected: room.disarm(.path)
        case .localCandidate, .relaysFailed, .connected, .firstPacket, .firstFrame, .stalled,
            .addressLost, .addressGained, .failed:
            break
        }
    }

    private mutating func attemptEnded(_ end: AttemptEnd, _ times: CallSetup, _ room: inout PresenceTracker) {
        if times.dtls != nil || setup.dtls == nil { setup = times }
        route.note(end, times)
        room.disarm(.path)
        switch phase {
        case .replacing(_, .end(let ending)): close(reason(for: ending, after: end))
        case .replacing(_, .attempt(let offer)): begin(with: offer, &room)
        case .attempting(let attempt): judge(end, holdsLeave: attempt.holdsLeave, &room)
        case .asking, .backingOff, .awaitingPeer, .awaitingOffer, .leaving, .over: break
        }
    }
}

extension CallStateMachine {
    /// Returns the end of the call with the reason to report.
    ///
    /// If the failure of our attempt may have caused a leave or hangup of the peer, that failure is the
    /// reason.
    private func reason(for ending: CallPhase.Ending, after attemptEnd: AttemptEnd) -> CallPhase.Ending {
        guard !wasHeld, ending.end == .peerLeft || ending.end == .hungUp(by: .peer),
            case .failed(let failure) = attemptEnd, !failure.isWorthRetrying
        else { return ending }
        var ending = ending
        ending.end = .media(failure)
        return ending
    }
}

// MARK: - The user and the clock

extension CallStateMachine {
    mutating func handle(_ command: CallCommand, _ room: inout PresenceTracker) {
        switch command {
        case .hangUp: end(.hungUp(by: .us), &room)
        case .leave:
            leavesRoom = true
            options.leavesRoom = true
            phase.confirmHangUp()
            end(.hungUp(by: .us), &room)
        case .accept:
            guard case .asking(let offer) = phase else { return }
            isAnswered = true
            begin(with: offer, &room)
        case .decline: if phase.isAsking { end(.declined(by: .us), &room) }
        case .startCall: break
        }
    }

    mutating func handle(_ timer: RoomTimer.Kind, _ room: inout PresenceTracker) {
        switch timer {
        case .ring:
            isRinging = false
            let wasRinging = phase.attempt?.state == .ringing
            if !isAnswered || wasRinging { end(.timedOut(.answer), wasRinging: wasRinging, &room) }
        case .duration: end(.duration(options.duration ?? .zero), &room)
        case .hangUp:
            if phase.confirmHangUp() { actions.append(.rejoin) }
        case .retry: retryTimedOut(&room)
        case .peer: peerTimedOut(&room)
        case .doubt: isLeavingDoubted = false
        case .leaving: if holdsLeave { handlePeerDeparture(&room) }
        case .path: renewAttempt()
        case .silence where phase.isAsking: if isPeerAbsent(room) { end(.peerLeft, &room) }
        case .signaling, .silence:
            if !isMediaFlowing { end(wasHeld ? .peerLeft : .signaling(room.lostFailure), &room) }
        case .mediaState(let timer): handle(timer)
        case .pause, .declined: break
        }
    }

    /// Handles the retry timer: the caller begins its next attempt, or waits for its peer, and the callee
    /// requests the next offer again.
    private mutating func retryTimedOut(_ room: inout PresenceTracker) {
        if case .awaitingOffer(let requests) = phase { return askAgain(requests + 1, &room) }
        guard phase == .backingOff else { return }
        phase = .awaitingPeer
        if wasHeld && isPeerAbsent(room) { return end(.peerLeft, &room) }
        retryIfPeerIsThere(&room)
        if phase == .awaitingPeer { startPeerTimer(options.peerTimeout, &room) }
    }

    private mutating func peerTimedOut(_ room: inout PresenceTracker) {
        switch phase {
        case .attempting: if isBlind && !isAnswered { end(.timedOut(.peer), &room) }
        case .awaitingPeer: end(lastFailure.map { CallEnd($0) } ?? .timedOut(.peer), &room)
        case .awaitingOffer:
            end(wasHeld ? .peerLeft : lastFailure.map { CallEnd($0) } ?? .timedOut(.offer), &room)
        case .backingOff: if isBlind && !isAnswered { end(.timedOut(.peer), &room) }
        case .asking, .replacing, .leaving, .over: break
        }
    }
}
