// What the attempt, the user and the clock say while a call lasts.

extension CallCourse {
    mutating func take(_ news: AttemptReport, _ room: inout RoomKnowledge) {
        switch news {
        case .state(let state): take(state, &room)
        case .sent(let type, let bytes, let id):
            if let id, role == .caller { note(offer: id) }
            report(.sdpSent(type, bytes: bytes))
        case .received(let type, let bytes): report(.sdpReceived(type, bytes: bytes))
        case .media(let event): take(event, &room)
        case .firstFrame(let kind, let milliseconds):
            report(.firstFrame(kind, milliseconds: milliseconds))
        case .ended(let end, let times): attemptEnded(end, times, &room)
        }
    }

    private mutating func take(_ state: CallMachine.State, _ room: inout RoomKnowledge) {
        attemptState = state
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
        case .connected:
            failures = 0
            delays = 0
            hurries = 0
            lastFailure = nil
            report(.mediaConnected)
            guard !wasHeld else { return }
            wasHeld = true
            if let duration = options.duration {
                actions.append(.start(room.arm(.duration), duration))
            }
        case .idle, .offering, .awaitingAnswer, .ringing, .answering, .ended: break
        }
    }

    private mutating func take(_ event: MediaEvent, _ room: inout RoomKnowledge) {
        path.add(event)
        switch event {
        case .iceSelected(let local, let remote, let transport):
            report(.iceSelected(local: local, remote: remote, transport: transport))
        case .statistics(let statistics): report(.statistics(statistics))
        case .sourceEnded(let name): end(.sourceEnded(name), &room)
        case .localCandidate, .iceConnected, .relaysFailed, .connected, .firstPacket, .firstFrame, .stalled,
            .addressLost, .addressGained, .failed:
            break
        }
    }

    private mutating func attemptEnded(_ end: AttemptEnd, _ times: CallSetup, _ room: inout RoomKnowledge) {
        if times.dtls != nil || setup.dtls == nil { setup = times }
        attemptState = nil
        switch phase {
        case .replacing(.end(let callEnd)): close(callEnd)
        case .replacing(.attempt): begin(&room)
        case .attempting: judge(end, &room)
        case .asking, .backingOff, .awaitingPeer, .awaitingOffer, .leaving, .over: break
        }
    }

    /// Decides what follows an attempt that ended by itself.
    mutating func judge(_ attemptEnd: AttemptEnd, _ room: inout RoomKnowledge) {
        phase = role == .caller ? .backingOff : .awaitingOffer
        lastFailure = attemptEnd
        if case .failed(let failure) = attemptEnd, !failure.isWorthRetrying {
            return end(.media(failure), &room)
        }
        if isLeavingDoubted { return leave(&room) }
        if wasHeld && (room.isServerGone || isPeerAbsent(room)) { return end(.peerLeft, &room) }
        if let failure = room.failure { return end(.signaling(failure), &room) }
        // What broke media may have broken our socket too, and nobody tells.
        if room.isConnected { actions.append(.probe) } else { bearSilence(&room) }
        if role == .caller { retry(after: attemptEnd, &room) } else { awaitOffer(after: attemptEnd, &room) }
    }

    /// Media and our own socket are down, and the network may be at fault: for a while.
    mutating func bearSilence(_ room: inout RoomKnowledge) {
        guard wasHeld else { return }
        switch phase {
        case .backingOff, .awaitingPeer, .awaitingOffer:
            actions.append(.start(room.arm(.signaling), options.silencePatience))
        case .asking, .attempting, .replacing, .leaving, .over: break
        }
    }

    private mutating func awaitOffer(after attemptEnd: AttemptEnd, _ room: inout RoomKnowledge) {
        var patience = options.peerTimeout
        if case .failed(.badDescription) = attemptEnd {
            failures += 1
            if isBudgetSpent { return end(CallEnd(attemptEnd), &room) }
            // A caller of ours offers again within that time; another one may never.
            patience = patience ?? options.descriptionTimeout * 3
        }
        let reason = options.sentence(for: attemptEnd)
        let retry = CallState.Retry(attempt: nextAttempt, delay: nil, reason: reason)
        report(.state(.retrying(retry)))
        askForOffer()
        startPeerTimer(patience, &room)
    }

    private var isBudgetSpent: Bool {
        let limit = options.retries ?? CallOptions.defaultRetries
        return limit >= 0 && failures > limit
    }

    /// Tells the caller, whose own side may take long to notice.
    mutating func askForOffer() {
        guard phase == .awaitingOffer, lastFailure != nil, let offer = offers.last else { return }
        actions.append(.send(.restart(offerID: offer)))
    }

    private mutating func retry(after attemptEnd: AttemptEnd, _ room: inout RoomKnowledge) {
        let ringsOn = attemptEnd == .unanswered && !isAnswered && options.retries == nil
        let isHurried = hurries(after: attemptEnd)
        if !ringsOn && !isHurried { failures += 1 }
        if isBudgetSpent {
            let isPeerGone = wasHeld && attemptEnd == .unanswered
            return end(isPeerGone ? .peerLeft : CallEnd(attemptEnd), &room)
        }
        let delay = isHurried ? .zero : delay(after: attemptEnd)
        delays += 1
        let reason = options.sentence(for: attemptEnd)
        let retry = CallState.Retry(attempt: nextAttempt, delay: delay, reason: reason)
        report(.state(.retrying(retry)))
        actions.append(.start(room.arm(.retry), delay))
    }

    /// Whether the next attempt begins at once and this one is no failure: it might have held, had it been left.
    private mutating func hurries(after attemptEnd: AttemptEnd) -> Bool {
        guard case .addressGained = attemptEnd, hurries < Self.maximumHurries else { return false }
        hurries += 1
        return true
    }

    private func delay(after attemptEnd: AttemptEnd) -> Duration {
        // It failed for a reason that the next will not meet.
        if case .addressLost = attemptEnd, delays == 0 { return .zero }
        return CallOptions.backoff[min(delays, CallOptions.backoff.count - 1)]
    }

    private mutating func startPeerTimer(_ timeout: Duration?, _ room: inout RoomKnowledge) {
        if let timeout {
            actions.append(.start(room.arm(.peer), timeout))
        } else {
            room.disarm(.peer)
        }
    }
}

// MARK: - The user and the clock

extension CallCourse {
    mutating func take(_ command: CallCommand, _ room: inout RoomKnowledge) {
        switch command {
        case .hangUp: end(.hungUp(by: .us), &room)
        case .leave:
            leavesRoom = true
            options.leavesRoom = true
            awaitsHangUp = false
            if phase == .leaving { phase = .over } else { end(.hungUp(by: .us), &room) }
        case .accept:
            guard phase == .asking else { return }
            isAnswered = true
            begin(&room)
        case .decline: if phase == .asking { end(.declined(by: .us), &room) }
        case .setMuted(let isMuted): actions.append(.setMuted(isMuted))
        case .setCameraOff(let isOff): actions.append(.setCameraOff(isOff))
        case .startCall: break
        }
    }

    mutating func take(_ timer: RoomTimer.Kind, _ room: inout RoomKnowledge) {
        switch timer {
        case .ring:
            isRinging = false
            if !isAnswered || attemptState == .ringing { end(.timedOut(.answer), &room) }
        case .duration: end(.duration(options.duration ?? .zero), &room)
        case .hangUp:
            guard awaitsHangUp else { return }
            awaitsHangUp = false
            actions.append(.rejoin)
            if phase == .leaving { phase = .over }
        case .retry:
            guard phase == .backingOff else { return }
            phase = .awaitingPeer
            if wasHeld && isPeerAbsent(room) { return end(.peerLeft, &room) }
            retryIfPeerIsThere(&room)
            if phase == .awaitingPeer { startPeerTimer(options.peerTimeout, &room) }
        case .peer: peerTimedOut(&room)
        case .doubt: isLeavingDoubted = false
        case .signaling:
            if !isMediaFlowing { end(wasHeld ? .peerLeft : .signaling(room.lostFailure), &room) }
        case .pause: break
        }
    }

    private mutating func peerTimedOut(_ room: inout RoomKnowledge) {
        switch phase {
        case .attempting: if isBlind && !isAnswered { end(.timedOut(.peer), &room) }
        case .awaitingPeer: end(lastFailure.map { CallEnd($0) } ?? .timedOut(.peer), &room)
        case .awaitingOffer: end(lastFailure.map { CallEnd($0) } ?? .timedOut(.offer), &room)
        case .asking, .replacing, .backingOff, .leaving, .over: break
        }
    }
}

extension MediaFailure {
    /// Whether a new peer connection may fare better.
    var isWorthRetrying: Bool {
        switch self {
        // What is said wrong once may have been garbled on its way.
        case .iceFailed, .dtlsFailed, .badDescription, .noAddress: true
        case .relay(_, _, let isRefusal): !isRefusal
        // Whoever stands between would only get another chance.
        case .unverifiedPeer: false
        case .source, .missingPlugin, .noCommonCodec, .nothingToCarry, .recording, .pipeline: false
        }
    }
}
