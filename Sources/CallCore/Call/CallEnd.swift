/// Why a call is over.
package enum CallEnd: Hashable, Sendable {
    package enum Side: Hashable, Sendable {
        case us, peer
    }

    /// What was waited for in vain.
    package enum Wait: Hashable, Sendable {
        case peer, offer, answer, description, media
    }

    case hungUp(by: Side)
    case declined(by: Side)
    /// The peer left the room, or vanished together with its media.
    case peerLeft
    /// The span after which we wanted to hang up.
    case duration(Duration)
    /// What was sent, by its name, came to its end.
    case sourceEnded(String)
    case timedOut(Wait)
    case media(MediaFailure)
    case signaling(SignalingFailure)

    /// The word in `call.ended`.
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

    /// Whether the peer does not know yet.
    var isNewsToPeer: Bool {
        switch self {
        case .hungUp(by: .us), .declined(by: .us), .duration, .sourceEnded, .timedOut, .media: true
        case .hungUp(by: .peer), .declined(by: .peer), .peerLeft, .signaling: false
        }
    }

    /// Whether nobody wanted the call to end so, and another may fare better.
    var isMishap: Bool {
        switch self {
        case .timedOut, .signaling: true
        case .media(let failure): failure.isWorthRetrying
        case .hungUp, .declined, .peerLeft, .duration, .sourceEnded: false
        }
    }

    /// The end that the last attempt of a spent budget gives the call.
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
