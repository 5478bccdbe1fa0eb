package import Basics

/// A progress report of a call; the reports are delivered in order.
package enum CallReport: Hashable, Sendable {
    case started(role: Role, attempt: Int, blind: Bool)
    case state(CallState)
    /// The peer's name, reported when it becomes known or changes during the call.
    case peer(String)
    case sdpSent(DescriptionType, bytes: Int)
    case sdpReceived(DescriptionType, bytes: Int)
    case iceSelected(local: String, remote: String, transport: String)
    case mediaConnected
    /// The first audio or video frame arrived, `milliseconds` after `started`.
    case firstFrame(MediaKind, milliseconds: Int)
    case statistics(CallStatistics)
    case peerMedia(PeerMedia)
    /// The peer, whose name is given if known, is recorded but cannot be notified: its program or the server
    /// does not support `media_state`.
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
    /// The human-readable reason for the end.
    package var message: String
    package var peer: String?
    /// The number of the last attempt, counted from one.
    package var attempt: Int
    /// The setup times of the last attempt in which media connected or, if there is none, of the last
    /// attempt.
    package var setup: CallSetup
    /// Whether media ever flowed.
    package var wasHeld: Bool
    /// Whether a person at the peer was still being asked to answer when the call ended.
    var wasRinging = false
    /// The end of the last failed attempt; nil if no attempt has failed since media last flowed.
    package var lastFailure: AttemptEnd?
    /// The ICE candidates and the ICE progress of the last attempt.
    package var path = PathFacts()

    /// Whether the call failed in such a way that another call may succeed.
    package var isFailure: Bool {
        // A person who does not answer may be away or unwilling, which is not a failure.
        end == .timedOut(.answer) && wasRinging ? false : end.isFailure
    }
}
