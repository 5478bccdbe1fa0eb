/// The way in which a call begins.
package enum CallStart: Hashable, Sendable {
    /// The caller calls a peer that is known to be in the room.
    case dial(Participant)
    /// The caller calls into a room whose server does not report the participants.
    case dialBlindly
    /// The callee received an offer from this participant, or from an unknown one if it is nil.
    case incoming(HeldOffer, from: Participant?)
    /// The callee received an unusable offer, probably from this participant; another offer may follow.
    case unusable(CallMediaFailure, from: Participant?)
}

/// An offer stored for later use, with the candidates that arrived after it.
package struct HeldOffer: Hashable, Sendable {
    package let offer: SessionOffer
    /// The name of the offer's sender, if the message contains it.
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

/// An action requested by a call; actions are performed in order.
package enum CallAction: Hashable, Sendable {
    /// Begins an attempt with these first events; no other attempt is running.
    case begin(AttemptStateMachine, first: [CallEvent])
    /// Passes an event on to the running attempt.
    case forward(CallEvent)
    case send(SignalMessage)
    /// Checks whether the signaling server still responds.
    case probe
    case rejoin
    case start(RoomTimer, Duration)
    case report(CallReport)
}

/// The result of a call, from which the session in the room continues.
package struct CallOutcome: Hashable, Sendable {
    package var summary: CallSummary
    /// An offer that arrived while the call was ending, and that begins the next call.
    package var nextOffer: HeldOffer?
    /// Whether the user also wants to leave the room.
    package var leavesRoom: Bool
}
