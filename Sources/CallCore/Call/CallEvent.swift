/// An event of an attempt; the documentation of `AttemptStateMachine` sorts them by origin.
package enum CallEvent: Hashable, Sendable {
    // From the enclosing call.
    case start
    case stop

    // From the peer, through the signaling server.
    case offerReceived(SessionOffer)
    case answerReceived(sdp: String, offerID: String?)
    case ringingReceived(offerID: String?)
    case restartReceived(offerID: String?)
    case candidateReceived(ICECandidate)

    // From the media session.
    case offerCreated(String)
    case answerCreated(String)
    /// The session could not apply an offer; fatal for the first offer only.
    case answerRefused(MediaFailure)
    case answerApplied
    case media(MediaEvent)

    // From the clock.
    case deadlineReached(CallDeadline)
}

/// The time limits of an attempt, and the interval between blind offers.
package enum CallDeadline: Hashable, Sendable {
    /// The caller's time from the start to its offer, so that a stuck device or plugin cannot block it.
    case preparation
    /// The time for the exchange of descriptions.
    ///
    /// The caller's begins when it sends the offer and ends when it has applied the answer; the callee's
    /// begins when it accepts the offer and ends when it has sent the answer.
    case description
    /// The time from the answer to connected media.
    case connection
    /// The caller's interval from a blind offer to its next repetition, numbered from zero; its expiry does
    /// not end the attempt.
    case repetition(Int)

    /// The number of the repetition from which on the intervals no longer grow.
    package static let lastRepetition = CallOptions.repetitions.count - 1
}

/// An effect requested by an attempt; effects are performed in order.
package enum CallEffect: Hashable, Sendable {
    case openMedia
    case createOffer
    case createAnswer(to: String)
    case apply(answer: String)
    case add(ICECandidate)
    case send(SignalMessage)
    /// Ends the attempt once the preceding effects have been performed.
    case fail(MediaFailure)
    case startDeadline(CallDeadline)
}

/// The reason for the end of an attempt.
package enum AttemptEnd: Hashable, Sendable {
    /// The enclosing call stopped the attempt and knows why.
    case stopped
    case unanswered
    case timedOut(CallDeadline)
    /// Media flowed and then stopped arriving; see `MediaEvent.stalled`.
    case stalled
    /// The local address of the connection was removed from this machine.
    case addressLost(String)
    /// This machine gained an address unknown to the attempt before media flowed.
    case addressGained(String)
    /// The peer reported that its side of the connection is gone.
    case peerLost
    /// The peer gave up the offer before its answer arrived.
    case givenUp
    case failed(MediaFailure)
}
