/// The identity of a call's peer, as far as it is known.
enum CallPeer: Hashable, Sendable {
    case unknown
    /// The participant that arrived during the call; it is assumed to be the peer, because the peer's name is
    /// unknown.
    case guessed(Participant)
    case known(Participant)

    init(_ participant: Participant?) { self = participant.map(CallPeer.known) ?? .unknown }

    var participant: Participant? {
        switch self {
        case .unknown: nil
        case .guessed(let participant), .known(let participant): participant
        }
    }

    /// The participant that is known, not only assumed, to be the peer.
    var knownParticipant: Participant? { if case .known(let participant) = self { participant } else { nil } }

    var isGuessed: Bool { if case .guessed = self { true } else { false } }

    /// Replaces the participant; a guessed peer remains a guess.
    mutating func update(_ participant: Participant) {
        self = isGuessed ? .guessed(participant) : .known(participant)
    }
}
