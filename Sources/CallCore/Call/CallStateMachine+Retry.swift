// The consequences of an attempt that ended without being stopped.

extension CallStateMachine {
    /// Decides how the call continues after an attempt that ended without being stopped.
    ///
    /// `holdsLeave` is true if a leave of the peer was reported during the attempt and has had no effect yet.
    mutating func judge(_ attemptEnd: AttemptEnd, holdsLeave: Bool = false, _ room: inout PresenceTracker) {
        phase = role == .caller ? .backingOff : .awaitingOffer(requests: 0)
        lastFailure = attemptEnd
        if case .failed(let failure) = attemptEnd, !failure.isWorthRetrying {
            return end(.media(failure), &room)
        }
        if holdsLeave { return handlePeerDeparture(&room) }
        if isLeavingDoubted { return leave(&room) }
        if wasHeld && (room.isServerGone || isPeerAbsent(room)) { return end(.peerLeft, &room) }
        if let failure = room.failure { return end(.signaling(failure), &room) }
        // The cause of the media failure may have broken our socket as well, without a report of the loss.
        if room.isConnected { actions.append(.probe) } else { startSilenceTimer(&room) }
        if role == .caller { retry(after: attemptEnd, &room) } else { awaitOffer(after: attemptEnd, &room) }
    }

    /// Starts the timer that limits how long media and our socket may both be down.
    mutating func startSilenceTimer(_ room: inout PresenceTracker) {
        guard wasHeld else { return }
        switch phase {
        case .backingOff, .awaitingPeer, .awaitingOffer:
            actions.append(.start(room.arm(.silence), options.silenceTimeout))
        case .asking, .attempting, .replacing, .leaving, .over: break
        }
    }

    private mutating func awaitOffer(after attemptEnd: AttemptEnd, _ room: inout PresenceTracker) {
        var peerTimeout = options.peerTimeout ?? options.lostPeerTimeout
        if case .failed(.badDescription) = attemptEnd {
            retries.failures += 1
            if isBudgetSpent { return end(CallEnd(attemptEnd), &room) }
            // A callrunner caller offers again within three description timeouts; another program may never
            // do so.
            peerTimeout = options.peerTimeout ?? options.descriptionTimeout * 3
        }
        let reason = options.sentence(for: attemptEnd)
        let retry = CallState.Retry(attempt: nextAttempt, delay: nil, reason: reason)
        report(.state(.retrying(retry)))
        askAgain(0, &room)
        startPeerTimer(peerTimeout, &room)
    }

    /// Requests the next offer from the caller and repeats this at growing intervals, as a request may be
    /// lost.
    mutating func askAgain(_ number: Int, _ room: inout PresenceTracker) {
        guard phase.isAwaitingOffer else { return }
        phase = .awaitingOffer(requests: number)
        askForOffer()
        actions.append(.start(room.arm(.retry), options.timeout(.repetition(number))))
    }

    private var isBudgetSpent: Bool {
        let limit = options.retries ?? CallOptions.defaultRetries
        return limit >= 0 && retries.failures > limit
    }

    /// Requests a new offer from the caller, which may not have noticed the failure yet.
    mutating func askForOffer() {
        guard phase.isAwaitingOffer, lastFailure != nil, let offer = offers.last else { return }
        actions.append(.send(.restart(offerID: offer)))
    }

    private mutating func retry(after attemptEnd: AttemptEnd, _ room: inout PresenceTracker) {
        let ringsOn = attemptEnd == .unanswered && !isAnswered && options.retries == nil
        let isEarly = mayRetryEarly(after: attemptEnd)
        if !ringsOn && !isEarly { retries.failures += 1 }
        if isBudgetSpent {
            let isPeerGone = wasHeld && attemptEnd == .unanswered
            return end(isPeerGone ? .peerLeft : CallEnd(attemptEnd), &room)
        }
        let delay = isEarly ? .zero : delay(after: attemptEnd)
        retries.delays += 1
        let reason = options.sentence(for: attemptEnd)
        let retry = CallState.Retry(attempt: nextAttempt, delay: delay, reason: reason)
        report(.state(.retrying(retry)))
        actions.append(.start(room.arm(.retry), delay))
    }

    /// Decides whether the next attempt begins immediately after this host gained an IP address.
    ///
    /// If it does, the attempt that ended does not count as a failure.
    private mutating func mayRetryEarly(after attemptEnd: AttemptEnd) -> Bool {
        if case .addressGained = attemptEnd { retries.hurry() } else { false }
    }

    private func delay(after attemptEnd: AttemptEnd) -> Duration {
        // The next attempt will not use the lost address, so it need not wait.
        if case .addressLost = attemptEnd, retries.delays == 0 { return .zero }
        return CallOptions.backoff[min(retries.delays, CallOptions.backoff.count - 1)]
    }

    mutating func startPeerTimer(_ timeout: Duration?, _ room: inout PresenceTracker) {
        if let timeout {
            actions.append(.start(room.arm(.peer), timeout))
        } else {
            room.disarm(.peer)
        }
    }
}

// MARK: - The path to the peer

extension CallStateMachine {
    /// Starts the time limit for ICE to find the network path, if the previous attempt found it immediately.
    ///
    /// An attempt that exceeds the limit is replaced. The network may have been down when it began, and ICE
    /// checks become less frequent over time, so that ICE may miss the moment at which the network is
    /// available again (libnice 0.1.21 checks after 0, 0.5 and 1.5 s, and then not for five seconds).
    mutating func expectPath(_ room: inout PresenceTracker) {
        guard role == .caller, wasHeld, let timeout = route.timeout else { return }
        actions.append(.start(room.arm(.path), timeout))
    }

    mutating func renewAttempt() {
        guard case .attempting(let running) = phase, running.state == .connecting else { return }
        route.renew()
        nextAttempt = attempt
        replaceAttempt()
    }
}

extension CallMediaFailure {
    /// Whether a new peer connection may succeed.
    var isWorthRetrying: Bool {
        switch self {
        // A malformed description may have been garbled in transit.
        case .iceFailed, .dtlsFailed, .badDescription, .noAddress: true
        case .relay(_, _, let isRefusal): !isRefusal
        // A retry would only give a man in the middle another chance.
        case .unverifiedPeer: false
        case .local, .noCommonCodec, .nothingToCarry: false
        }
    }
}
