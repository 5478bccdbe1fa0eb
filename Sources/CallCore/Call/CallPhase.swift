/// The phase of a call, with the data that has a meaning only in that phase.
enum CallPhase: Hashable, Sendable {
    /// Callee: a person is asked whether to answer the offer.
    case asking(HeldOffer)
    case attempting(RunningAttempt)
    /// An attempt is being stopped, and the successor waits for its end.
    case replacing(RunningAttempt, by: Successor)
    /// Caller: an attempt failed, and the next one waits for its delay.
    case backingOff
    /// Caller: the next attempt waits for our socket or for the peer.
    case awaitingPeer
    /// Callee: an attempt failed, and the next one begins with the caller's next offer, which has been
    /// requested again that many times.
    case awaitingOffer(requests: Int)
    /// The end has been sent; the call waits a moment for the peer's hangup as a confirmation.
    case leaving(CallSummary, next: HeldOffer?)
    case over(CallSummary, next: HeldOffer?)

    /// An attempt that has begun and not ended.
    struct RunningAttempt: Hashable, Sendable {
        var state = AttemptStateMachine.State.idle
        /// Whether a leave of the peer is held back while media flows, as the server may be shutting down.
        var holdsLeave = false
    }

    enum Successor: Hashable, Sendable {
        /// Another attempt; a callee's begins with the offer.
        case attempt(HeldOffer?)
        case end(Ending)
    }

    /// The end of a call, whose attempt is being stopped.
    struct Ending: Hashable, Sendable {
        var end: CallEnd
        /// Whether a person at the peer was being asked until now.
        let wasRinging: Bool
        /// Whether the peer is expected to confirm our hangup.
        var awaitsHangUp: Bool
        /// An offer that arrived meanwhile; it begins the next call.
        var next: HeldOffer?
    }

    /// The attempt that runs or is being stopped.
    var attempt: RunningAttempt? {
        get {
            switch self {
            case .attempting(let attempt), .replacing(let attempt, _): attempt
            case .asking, .backingOff, .awaitingPeer, .awaitingOffer, .leaving, .over: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .attempting: self = .attempting(newValue)
            case .replacing(_, let successor): self = .replacing(newValue, by: successor)
            case .asking, .backingOff, .awaitingPeer, .awaitingOffer, .leaving, .over: break
            }
        }
    }

    /// The offer of the next attempt or call; setting it has no effect in a phase that cannot have one.
    var offer: HeldOffer? {
        get {
            switch self {
            case .asking(let offer): offer
            case .replacing(_, .attempt(let offer)): offer
            case .replacing(_, .end(let ending)): ending.next
            case .leaving(_, let next), .over(_, let next): next
            case .attempting, .backingOff, .awaitingPeer, .awaitingOffer: nil
            }
        }
        set {
            switch self {
            case .asking: if let newValue { self = .asking(newValue) }
            case .replacing(let attempt, .attempt): self = .replacing(attempt, by: .attempt(newValue))
            case .replacing(let attempt, .end(var ending)):
                ending.next = newValue
                self = .replacing(attempt, by: .end(ending))
            case .leaving(let summary, _): self = .leaving(summary, next: newValue)
            case .over(let summary, _): self = .over(summary, next: newValue)
            case .attempting, .backingOff, .awaitingPeer, .awaitingOffer: break
            }
        }
    }

    /// The summary of a call that has ended.
    var summary: CallSummary? {
        switch self {
        case .leaving(let summary, _), .over(let summary, _): summary
        case .asking, .attempting, .replacing, .backingOff, .awaitingPeer, .awaitingOffer: nil
        }
    }

    var isAsking: Bool { if case .asking = self { true } else { false } }
    var isAttempting: Bool { if case .attempting = self { true } else { false } }
    var isAwaitingOffer: Bool { if case .awaitingOffer = self { true } else { false } }

    var isEnding: Bool {
        switch self {
        case .replacing(_, .end), .leaving, .over: true
        case .asking, .attempting, .replacing(_, .attempt), .backingOff, .awaitingPeer, .awaitingOffer: false
        }
    }

    /// Stops waiting for the peer's hangup; false if it is not awaited.
    @discardableResult
    mutating func confirmHangUp() -> Bool {
        switch self {
        case .leaving(let summary, let next): self = .over(summary, next: next)
        case .replacing(let attempt, .end(var ending)) where ending.awaitsHangUp:
            ending.awaitsHangUp = false
            self = .replacing(attempt, by: .end(ending))
        case .asking, .attempting, .replacing, .backingOff, .awaitingPeer, .awaitingOffer, .over: return false
        }
        return true
    }
}

/// The retries of a call since media last flowed.
struct CallRetries: Hashable, Sendable {
    static let maximumEarlyAttempts = 3

    /// The number of failed attempts that count against the retry budget.
    var failures = 0
    /// The number of all retries, which selects the backoff.
    var delays = 0
    /// The number of attempts begun early, on the peer's request or for a new address.
    private(set) var earlyAttempts = 0

    /// Counts an attempt that begins early; false if there have been too many.
    mutating func hurry() -> Bool {
        guard earlyAttempts < Self.maximumEarlyAttempts else { return false }
        earlyAttempts += 1
        return true
    }
}
