/// Everything that can happen to an attempt; the catalogue at `AttemptStateMachine` sorts it by origin.
package enum CallEvent: Hashable, Sendable {
    // From the call around.
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
    /// The session would not take an offer; fatal for the first one only.
    case answerRefused(MediaFailure)
    case answerApplied
    case media(MediaEvent)

    // From the clock.
    case deadlineReached(CallDeadline)
}

/// The spans that an attempt may not exceed, and the pace of a blind offer.
package enum CallDeadline: Hashable, Sendable {
    /// Caller: from the start to its offer; what a stuck device or plugin may cost.
    case preparation
    /// The exchange of descriptions: at the caller from sending the offer to having applied the answer,
    /// at the callee from accepting the offer to having sent the answer.
    case description
    /// From the answer to media.
    case connection
    /// Caller: from a blind offer, or its last repetition, to the next one, counted from zero; ends nothing.
    case repetition(Int)

    /// After which the waits grow no longer.
    package static let lastRepetition = CallOptions.repetitions.count - 1
}

/// What an attempt wants done, in this order.
package enum CallEffect: Hashable, Sendable {
    case openMedia
    case createOffer
    case createAnswer(to: String)
    case apply(answer: String)
    case add(ICECandidate)
    case send(SignalMessage)
    /// Ends the attempt once what stands before this has been done.
    case fail(MediaFailure)
    case startDeadline(CallDeadline)
}

/// Why an attempt is over.
package enum AttemptEnd: Hashable, Sendable {
    /// The call around wanted it so and knows why.
    case stopped
    case unanswered
    case timedOut(CallDeadline)
    /// Media flowed, and then nothing for five seconds.
    case stalled
    /// The network address that media came to is no longer ours.
    case addressLost(String)
    /// There is a network address now that the attempt knew nothing of, and media did not flow yet.
    case addressGained(String)
    /// The peer says that its side of the connection is gone.
    case peerLost
    /// The peer says so before its answer came.
    case givenUp
    case failed(MediaFailure)
}
