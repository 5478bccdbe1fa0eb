/// The phase of a call, with the data that is valid only in that phase.
enum CallPhase: Hashable, Sendable {
    /// The callee's user is being asked whether to answer the offer.
    case asking(HeldOffer)
    case attempting(RunningAttempt)
    /// An attempt is being stopped; when it has ended, another attempt begins or the call ends.
    case replacing(RunningAttempt, by: Successor)
    /// The caller's attempt failed, and the next attempt begins after a delay.
    case backingOff
    /// The caller's next attempt begins when our socket is connected and the peer is in the room.
    case awaitingPeer
    /// The callee's attempt failed, and the next attempt begins with the caller's next offer.
    ///
    /// `requests` is the number of times that the request for this offer has been repeated.
    case awaitingOffer(requests: Int)
    /// A hangup has been sent, and the call waits briefly for the peer's hangup as a confirmation.
    case leaving(CallSummary, next: HeldOffer?)
    case over(CallSummary, next: HeldOffer?)

    /// An attempt that has begun and not ended.
    struct RunningAttempt: Hashable, Sendable {
        var state = AttemptStateMachine.State.idle
        /// Whether a reported leave of the peer has no effect yet, because the server may be shutting down.
        var holdsLeave = false
    }

    enum Successor: Hashable, Sendable {
        /// Another attempt; if we are the callee, it begins with the offer.
        case attempt(HeldOffer?)
        case end(Ending)
    }

    /// The end of a call whose attempt is still being stopped.
    struct Ending: Hashable, Sendable {
        var end: CallEnd
        /// Whether a person at the peer was still being asked to answer when the call ended.
        let wasRinging: Bool
        /// Whether the peer is expected to confirm our hangup.
        var awaitsHangUp: Bool
        /// An offer that arrived while the call was ending, and that begins the next call.
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

    /// Stops waiting for the peer's hangup; returns false if the call was not waiting for it.
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

/// The retry counters of a call, which are reset when media flows.
struct CallRetries: Hashable, Sendable {
    static let maximumEarlyAttempts = 3

    /// The number of failed attempts that count against the retry budget.
    var failures = 0
    /// The number of retries, which determines the delay before the next attempt.
    var delays = 0
    /// The number of attempts that began early, at the request of the peer or because of a new local address.
    private(set) var earlyAttempts = 0

    /// Counts an attempt that begins early; returns false if the maximum has been reached.
    mutating func hurry() -> Bool {
        guard earlyAttempts < Self.maximumEarlyAttempts else { return false }
        earlyAttempts += 1
        return true
    }
}
