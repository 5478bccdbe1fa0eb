/// The time limits and the behavior of a call.
package struct CallOptions: Hashable, Sendable {
    /// The time limit for the exchange of descriptions within one attempt.
    var descriptionTimeout = Duration.seconds(4)
    /// The time limits within one attempt for creating the offer and, after the answer, for connecting media.
    package var connectTimeout = Duration.seconds(15)
    /// The time for which a caller waits for a person to answer.
    package var ringTimeout = Duration.seconds(45)
    /// The time for which the user on this side is asked to answer; the caller usually gives up earlier.
    var askTimeout = Duration.seconds(600)
    /// The time to wait for the peer's reply to our hangup.
    ///
    /// Afterwards, we leave and rejoin the room, because the peer may not support hangups.
    var hangUpTimeout = Duration.seconds(1)
    /// The time for which media and our socket may both be down before the peer counts as gone.
    ///
    /// It applies if the server did not close our socket. It also limits how long a person is asked to answer
    /// while the caller is missing from the room.
    var silenceTimeout = Duration.seconds(30)
    /// The time to wait for a peer or an offer, or nil for no limit.
    package var peerTimeout: Duration?
    /// The time for which a callee waits for another offer after a failed attempt if `peerTimeout` is nil.
    ///
    /// After an unusable offer, it waits for three times `descriptionTimeout` instead.
    var lostPeerTimeout = Duration.seconds(30)
    /// The time to wait, while media flows, before acting on a reported leave of the peer.
    ///
    /// A server that shuts down reports that all others have left before it closes our socket.
    var leaveDelay = Duration.milliseconds(500)
    /// The maximum duration of a call, counted from the first connection of media, or nil for no limit.
    package var duration: Duration?
    /// The maximum number of retries since media last flowed; a negative value means no limit.
    ///
    /// Nil allows four retries; unanswered offers are then repeated without counting as retries, until the
    /// call is answered or `ringTimeout` expires.
    package var retries: Int?
    /// Whether an offer is answered without asking a person.
    package var autoAnswers = true
    /// Whether we leave the room after the call, which informs the peer; otherwise a hangup is sent.
    package var leavesRoom = true

    package init() {}

    static let defaultRetries = 4
    /// The intervals between the repetitions of an offer to an unreported peer, or of a request for an offer.
    static let repetitions: [Duration] = [.seconds(4), .seconds(8), .seconds(16), .seconds(30)]
    static let backoff: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]

    func timeout(_ deadline: CallDeadline) -> Duration {
        switch deadline {
        case .description: descriptionTimeout
        case .preparation, .connection: connectTimeout
        case .repetition(let number): Self.repetitions[min(max(number, 0), CallDeadline.lastRepetition)]
        }
    }
}
