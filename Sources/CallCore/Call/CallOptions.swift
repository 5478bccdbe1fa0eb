/// The time limits and the behavior of a call.
package struct CallOptions: Hashable, Sendable {
    /// The time limit for the exchange of descriptions within one attempt.
    var descriptionTimeout = Duration.seconds(4)
    /// The time limit within one attempt for preparing the offer, and from the answer to connected media.
    package var connectTimeout = Duration.seconds(15)
    /// The time for which a caller rings a person who does not answer.
    package var ringTimeout = Duration.seconds(45)
    /// The time for which the user on this side is asked to answer; the caller usually gives up earlier.
    var askTimeout = Duration.seconds(600)
    /// The time for a foreign peer to answer a hangup before we leave the room to inform it.
    var hangUpTimeout = Duration.seconds(1)
    /// The time for which media and our socket may both be down before the peer counts as gone.
    ///
    /// It applies if no reason is known, and to a caller missing from the room while a person is asked.
    var silenceTimeout = Duration.seconds(30)
    /// The time to wait for a peer or an offer; nil for unlimited.
    package var peerTimeout: Duration?
    /// The time for which a callee that lost its peer waits for another offer if `peerTimeout` is nil.
    var lostPeerTimeout = Duration.seconds(30)
    /// The time for which a leave of the peer is held back while media flows.
    ///
    /// A server that shuts down reports that everybody left, and then closes our socket.
    var leaveDelay = Duration.milliseconds(500)
    /// The maximum duration of a call from the time at which media first connected; nil for unlimited.
    package var duration: Duration?
    /// The number of attempts after the first; negative for unlimited.
    ///
    /// Nil allows four, but unanswered offers are then repeated until `ringTimeout`.
    package var retries: Int?
    /// Whether an offer is answered without asking a person.
    package var autoAnswers = true
    /// Whether we leave the room after the call, which informs the peer; otherwise a hangup is sent.
    package var leavesRoom = true

    package init() {}

    static let defaultRetries = 4
    /// The intervals between blind offers.
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
