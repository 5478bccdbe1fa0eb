package import Basics

/// An input of a session in a room; the inputs from all sources have a single reader.
package enum RoomInput: Hashable, Sendable {
    case room(RoomEvent, [PresenceChange])
    case command(CallCommand)
    case attempt(AttemptReport)
    case timer(RoomTimer)
    /// The media service is ready, or has failed permanently if there is a failure.
    case mediaPrepared(CallMediaFailure?)
    case ownMedia(OwnMedia.Change)
}

/// A command of the user.
package enum CallCommand: Hashable, Sendable {
    case startCall
    case hangUp
    case accept
    case decline
    /// Ends the call, if there is one, and leaves the room.
    case leave
}

/// A timer of a session in a room; starting it replaces a running timer of the same kind.
package struct RoomTimer: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case peer, signaling, ring, retry, duration, hangUp, pause
        /// The time to wait for our own socket to close after a leave of the peer was reported while media
        /// flows.
        ///
        /// If the socket is still open afterwards, the peer has left. Otherwise, the server is shutting down.
        case leaving
        /// The time within which a peer that declined and left the room may rejoin it.
        case declined
        /// The time after which an unconfirmed leave of the peer is disregarded.
        case doubt
        /// The time for which media and our socket may both be down, or for which the caller may be missing
        /// while a person is asked to answer.
        case silence
        /// The time within which an attempt must find a network path, if the previous attempt found it
        /// immediately.
        case path
        case mediaState(MediaState)

        /// Whether the end of a call disarms the timer.
        var isOfCall: Bool {
            switch self {
            case .peer, .ring, .retry, .duration, .hangUp, .doubt, .silence, .path, .leaving, .mediaState:
                true
            case .signaling, .pause, .declined: false
            }
        }
    }

    /// The timers of the exchange of media states.
    package enum MediaState: Hashable, Sendable {
        /// The intervals after which our state may be sent again and the peer's state may be reported again.
        case sending, report
        /// The time within which a peer that supports `media_state` must send its state.
        case overdue
    }

    package let kind: Kind
    let serial: Int
}

/// A report of an attempt to the enclosing call.
package enum AttemptReport: Hashable, Sendable {
    case state(AttemptStateMachine.State)
    case sent(DescriptionType, bytes: Int, offerID: String?)
    case received(DescriptionType, bytes: Int)
    case media(MediaEvent)
    /// The first frame arrived `milliseconds` after the attempt began; sent instead of
    /// `MediaEvent.firstFrame`.
    case firstFrame(MediaKind, milliseconds: Int)
    /// The last report, sent when the attempt has released all its resources.
    case ended(AttemptEnd, CallSetup)
}
