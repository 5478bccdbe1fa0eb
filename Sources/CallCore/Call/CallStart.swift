/// How a call begins.
package enum CallStart: Hashable, Sendable {
    /// The caller's way, to a peer known to be there.
    case dial(Participant)
    /// The caller's way into a room whose server does not tell who is there.
    case dialBlindly
    /// The callee's way.
    case incoming(HeldOffer, from: Participant?)
    /// The callee's way where what came as an offer is none; another may follow.
    case unusable(MediaFailure, from: Participant?)
}

/// An offer whose time has not come, with the candidates that followed it.
package struct HeldOffer: Hashable, Sendable {
    package let offer: SessionOffer
    /// Who made it, where it says.
    package let sender: String?
    package private(set) var candidates: [ICECandidate] = []

    package init(_ offer: SessionOffer, from sender: String? = nil) {
        self.offer = offer
        self.sender = sender
    }

    package mutating func hold(_ candidate: ICECandidate) {
        guard candidates.count < AttemptStateMachine.maximumCandidates else { return }
        candidates.append(candidate)
    }
}

/// What a call wants done, in this order.
package enum CallAction: Hashable, Sendable {
    /// Begins an attempt with these first events; none other lives.
    case begin(AttemptStateMachine, first: [CallEvent])
    /// Passes an event on to the attempt that lives.
    case tell(CallEvent)
    case send(SignalMessage)
    /// Asks the signaling server for a sign of life.
    case probe
    case rejoin
    case start(RoomTimer, Duration)
    case setMuted(Bool)
    case setCameraOff(Bool)
    case report(CallReport)
}

/// What a call leaves behind.
package struct CallOutcome: Hashable, Sendable {
    package var summary: CallSummary
    /// An offer that came while the call was ending: the next call.
    package var nextOffer: HeldOffer?
    /// Whether the user wants to leave the room as well.
    package var leavesRoom: Bool
}
