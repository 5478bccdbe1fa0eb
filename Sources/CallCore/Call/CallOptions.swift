/// The deadlines and manners of a call.
package struct CallOptions: Hashable, Sendable {
    /// The exchange of descriptions within one attempt.
    package var descriptionTimeout = Duration.seconds(4)
    /// From the answer to media within one attempt.
    package var connectTimeout = Duration.seconds(15)
    /// How long a caller rings a person who does not answer.
    package var ringTimeout = Duration.seconds(45)
    /// How long a person here is asked whether to answer; the caller's own patience is mostly shorter.
    package var askTimeout = Duration.seconds(600)
    /// How long a foreign peer has to answer a hangup before we leave the room to tell it.
    package var hangUpTimeout = Duration.seconds(1)
    /// How long media and our socket may both be down, where nobody says why, before the peer counts as gone; and
    /// a caller missing from the room, while a person is asked.
    package var silencePatience = Duration.seconds(30)
    /// How long to wait for a peer or an offer; nil for ever.
    package var peerTimeout: Duration?
    /// How long a callee that has lost its peer waits for another offer where `peerTimeout` does not say.
    package var lostPeerPatience = Duration.seconds(30)
    /// How long the leaving of the peer is held back while media flows: a server that stops tells of everybody's
    /// leaving, and then closes our socket.
    package var leavingPatience = Duration.milliseconds(500)
    /// Hang up so long after media first connected; nil never.
    package var duration: Duration?
    /// Attempts after the first, negative for endless; nil allows four, but unanswered offers are then
    /// repeated until `ringTimeout`.
    package var retries: Int?
    /// Whether an offer is answered without asking a person.
    package var autoAnswers = true
    /// Whether the room is left after the call, which tells the peer; else a hangup is sent.
    package var leavesRoom = true

    package init() {}

    static let defaultRetries = 4
    /// The waits between blind offers.
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
