/// The reason for the end of a call.
package enum CallEnd: Hashable, Sendable {
    package enum Side: Hashable, Sendable {
        case us, peer
    }

    /// The event that a call waited for until its time limit expired.
    package enum Wait: Hashable, Sendable {
        case peer, offer, answer, description, media
    }

    case hungUp(by: Side)
    case declined(by: Side)
    /// The peer left the room, or it was out of reach after its media had failed.
    case peerLeft
    /// The configured duration of the call has passed.
    case duration(Duration)
    /// The media source with this name has ended.
    case sourceEnded(String)
    case timedOut(Wait)
    case media(CallMediaFailure)
    case signaling(SignalingFailure)

    /// The name of the reason in the event `call.ended`.
    package var reason: String {
        switch self {
        case .hungUp, .sourceEnded: "hung-up"
        case .declined: "declined"
        case .peerLeft: "peer-left"
        case .duration: "duration"
        case .timedOut: "timed-out"
        case .media, .signaling: "failed"
        }
    }

    /// Whether the peer still has to be informed of the end.
    var mustInformPeer: Bool {
        switch self {
        case .hungUp(by: .us), .declined(by: .us), .duration, .sourceEnded, .timedOut, .media: true
        case .hungUp(by: .peer), .declined(by: .peer), .peerLeft, .signaling: false
        }
    }

    /// Whether the call failed in such a way that another call may succeed.
    var isFailure: Bool {
        switch self {
        case .timedOut, .signaling: true
        case .media(let failure): failure.isWorthRetrying
        case .hungUp, .declined, .peerLeft, .duration, .sourceEnded: false
        }
    }

    /// Creates the end of a call from the end of its last attempt, after which no further attempt is made.
    init(_ end: AttemptEnd) {
        self =
            switch end {
            case .stopped: .hungUp(by: .us)
            case .unanswered, .givenUp: .timedOut(.answer)
            case .timedOut(.description): .timedOut(.description)
            case .timedOut(.preparation), .timedOut(.connection), .timedOut(.repetition), .stalled,
                .addressLost, .addressGained, .peerLost:
                .timedOut(.media)
            case .failed(let failure): .media(failure)
            }
    }
}
