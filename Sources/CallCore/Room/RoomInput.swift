/// An input of a session in a room: the events of all sources, for one reader.
package enum RoomInput: Hashable, Sendable {
    case room(RoomEvent, [PresenceChange])
    case command(CallCommand)
    case attempt(AttemptReport)
    case timer(RoomTimer)
    /// The media service is ready, or has failed for good.
    case mediaPrepared(MediaFailure?)
    case ownMedia(OwnMedia.Change)
}

/// A command of the user.
package enum CallCommand: Hashable, Sendable {
    case startCall
    case hangUp
    case accept
    case decline
    case setMuted(Bool)
    case setCameraOff(Bool)
    /// Ends the call, if there is one, and leaves the room.
    case leave
}

/// An expired timer; arming a timer replaces any earlier one of its kind, which is never reported.
package struct RoomTimer: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case peer, signaling, ring, retry, duration, hangUp, pause
        /// The wait for our own socket to close after a leave was reported while media flows.
        ///
        /// If the socket is still open at the end, the peer has left; otherwise the server is shutting down.
        case leaving
        /// The time within which a peer that declined and left the room may rejoin it.
        case declined
        /// The time after which a leave that nothing has confirmed is disregarded.
        case doubt
        /// The time for which media and our socket may both be down, or the peer missing while a person is
        /// asked.
        case silence
        /// The time within which an attempt must find its path if the previous attempt found its path at
        /// once.
        case path
        case mediaState(MediaState)

        /// Whether the timer matters only during a call.
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
        /// The intervals until our state may be sent again, and until the peer's may be reported again.
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
    /// The first frame, `milliseconds` after the attempt's start; replaces the media event.
    case firstFrame(MediaKind, milliseconds: Int)
    /// The last report: everything that the attempt held has been released.
    case ended(AttemptEnd, CallSetup)
}
