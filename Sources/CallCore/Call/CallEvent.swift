/// An event that an `AttemptStateMachine` handles.
package enum CallEvent: Hashable, Sendable {
    // From the enclosing call.
    case start
    case stop

    // From the peer, through the signaling server.
    case offerReceived(SessionOffer)
    case answerReceived(SignaledDescription, offerID: String?)
    case ringingReceived(offerID: String?)
    case restartReceived(offerID: String?)
    case candidateReceived(ICECandidate)

    // From the media session.
    case offerCreated(String)
    case answerCreated(String)
    /// The media session could not apply an offer; the attempt ends only if it was its first offer.
    case answerRefused(CallMediaFailure)
    case answerApplied
    case media(MediaEvent)

    // From the clock.
    case deadlineReached(CallDeadline)
}

/// The time limits of an attempt, and the interval between the repetitions of an offer to a peer that the
/// server has not reported.
package enum CallDeadline: Hashable, Sendable {
    /// The time for the caller to create its offer; a stuck device or plugin cannot block an attempt longer.
    case preparation
    /// The time for the exchange of descriptions.
    ///
    /// For the caller, it runs from sending the offer to having applied the answer. For the callee, it runs
    /// from accepting the offer to having sent the answer.
    case description
    /// The time from the answer to connected media.
    case connection
    /// The interval before the caller repeats an offer to a peer that the server has not reported; the value
    /// is the number of the repetition, counted from zero.
    ///
    /// Its expiry does not end the attempt.
    case repetition(Int)

    /// The highest repetition number; all further repetitions have the same number and interval.
    package static let lastRepetition = CallOptions.repetitions.count - 1
}

/// An effect requested by an attempt; effects are performed in order.
package enum CallEffect: Hashable, Sendable {
    case openMedia
    case createOffer
    case createAnswer(to: SessionOffer)
    case apply(answer: SignaledDescription)
    case add(ICECandidate)
    case send(SignalMessage)
    /// Ends the attempt with a failure after the preceding effects have been performed.
    case fail(CallMediaFailure)
    case startDeadline(CallDeadline)
}

/// The reason for the end of an attempt.
package enum AttemptEnd: Hashable, Sendable {
    /// The enclosing call stopped the attempt for a reason of its own.
    case stopped
    case unanswered
    case timedOut(CallDeadline)
    /// Media flowed and then stopped arriving; see `MediaEvent.stalled`.
    case stalled
    /// The local address of the connection was removed from this host.
    case addressLost(String)
    /// Before media flowed, this host gained an IP address that was missing when the attempt began.
    case addressGained(String)
    /// The peer reported that its peer connection for our offer has ended.
    case peerLost
    /// The peer reported, before its answer arrived, that it has abandoned our offer.
    case givenUp
    case failed(CallMediaFailure)
}
