/// A report of a call about itself; reports arrive in order.
package enum CallReport: Hashable, Sendable {
    case started(role: Role, attempt: Int, blind: Bool)
    case state(CallState)
    /// The peer's name, once it becomes known or changes after the call began.
    case peer(String)
    case sdpSent(DescriptionType, bytes: Int)
    case sdpReceived(DescriptionType, bytes: Int)
    case iceSelected(local: String, remote: String, transport: String)
    case mediaConnected
    /// The first frame of a kind, `milliseconds` after `started`.
    case firstFrame(MediaKind, milliseconds: Int)
    case statistics(CallStatistics)
    case peerMedia(PeerMedia)
    /// The peer is recorded but cannot learn it: its program or the server does not support `media_state`.
    case peerUnaware(peer: String?)
    /// The last report of a call.
    case ended(CallSummary)
}

/// The types of RTCSdpType that callrunner uses.
package enum DescriptionType: String, Hashable, Sendable {
    case offer, answer
}

/// The result of a call.
package struct CallSummary: Hashable, Sendable {
    package var end: CallEnd
    /// The reason for the end, for people.
    package var message: String
    package var peer: String?
    /// The number of the last attempt, counted from one.
    package var attempt: Int
    /// The setup times of the last attempt that reached media, else of the last attempt.
    package var setup: CallSetup
    /// Whether media ever flowed.
    package var wasHeld: Bool
    /// Whether a person at the peer was still being asked at the end.
    var wasRinging = false
    /// The end of the last attempt that failed since media last flowed, if any.
    package var lastFailure: AttemptEnd?
    /// The path facts of the last attempt.
    package var path = PathFacts()

    /// Whether the call ended unintentionally, so that another call may succeed.
    package var isFailure: Bool {
        // A person who did not answer was away or did not want to.
        end == .timedOut(.answer) && wasRinging ? false : end.isFailure
    }
}
