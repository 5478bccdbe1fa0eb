/// What a call tells of itself, in order.
package enum CallReport: Hashable, Sendable {
    case started(role: Role, attempt: Int, blind: Bool)
    case state(CallState)
    /// The peer's name, where it has become known, or another, since the call began.
    case peer(String)
    case sdpSent(DescriptionType, bytes: Int)
    case sdpReceived(DescriptionType, bytes: Int)
    case iceSelected(local: String, remote: String, transport: String)
    case mediaConnected
    /// `milliseconds` from `started`.
    case firstFrame(MediaKind, milliseconds: Int)
    case statistics(CallStatistics)
    case peerMedia(PeerMedia)
    /// The peer is recorded, and does not learn it: its program or the server does not carry `media_state`.
    case peerUnaware(peer: String?)
    /// The last report.
    case ended(CallSummary)
}

/// RTCSdpType, as far as it travels here.
package enum DescriptionType: String, Hashable, Sendable {
    case offer, answer
}

/// How a call went.
package struct CallSummary: Hashable, Sendable {
    package var end: CallEnd
    /// For people.
    package var message: String
    package var peer: String?
    /// Of the last attempt, counted from one.
    package var attempt: Int
    /// Of the last attempt that got as far as media, else of the last one.
    package var setup: CallSetup
    /// Whether media ever flowed.
    package var wasHeld: Bool
    /// Whether a person there was still being asked at the end.
    package var wasRinging = false
    /// Why the last attempt failed, where one did since media last flowed.
    package var lastFailure: AttemptEnd?
    /// Of the last attempt.
    package var path = PathFacts()

    /// Whether the call was cut short or never came about, nobody wanted it so, and another may fare better.
    package var isMishap: Bool {
        // A person who did not answer was not there, or did not want to.
        end == .timedOut(.answer) && wasRinging ? false : end.isMishap
    }
}
