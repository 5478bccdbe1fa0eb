/// Everything that can happen during a stay in a room, from all its sources, for one reader.
package enum RoomInput: Hashable, Sendable {
    case room(RoomEvent, [PresenceChange])
    case command(CallCommand)
    case attempt(AttemptReport)
    case timer(RoomTimer)
    /// The media service is ready, or will never be.
    case mediaPrepared(MediaFailure?)
    case ownMedia(OwnMedia.Change)
}

/// What the user wants.
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

/// A span of time that has passed; only the last one armed of its kind is ever heard of.
package struct RoomTimer: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case peer, signaling, ring, retry, duration, hangUp, pause
        /// After which a peer whose leaving was told while media flows has left, and not the server.
        case leaving
        /// After which a peer that declined and then left the room has not only rejoined it.
        case declined
        /// After which a leaving in doubt was none.
        case doubt
        /// How long media and our socket may both be down, or the peer missing while a person is asked.
        case silence
        /// By when an attempt has found its way, where the last one did at once.
        case path
        case mediaState(MediaState)

        /// Whether it means something in a call only.
        var isOfCall: Bool {
            switch self {
            case .peer, .ring, .retry, .duration, .hangUp, .doubt, .silence, .path, .leaving, .mediaState:
                true
            case .signaling, .pause, .declined: false
            }
        }
    }

    /// The waits in the exchange of media states.
    package enum MediaState: Hashable, Sendable {
        /// Until our state may be sent again, and the peer's reported.
        case sending, report
        /// By when a peer that knows the event has sent its state.
        case overdue
    }

    package let kind: Kind
    let serial: Int
}

/// What an attempt tells the call around it.
package enum AttemptReport: Hashable, Sendable {
    case state(AttemptStateMachine.State)
    case sent(DescriptionType, bytes: Int, offerID: String?)
    case received(DescriptionType, bytes: Int)
    case media(MediaEvent)
    /// In place of the media's own news of it: `milliseconds` from the attempt's start.
    case firstFrame(MediaKind, milliseconds: Int)
    /// The last report: everything the attempt had is released.
    case ended(AttemptEnd, CallSetup)
}
