package import CallCore

/// Everything that a run tells a script, in order; each is one JSON line.
package enum FlowEvent: Hashable, Sendable {
    case signalingConnected(url: String, transport: String)
    /// `retryIn` in seconds; nil where nothing is tried again.
    case signalingDisconnected(reason: String, retryIn: Double?)
    case roomJoined(Identity, Role)
    /// We leave the room on purpose and join it again, so that the server tells the peer of the end of a call.
    case rejoining
    case roomRejoined(Identity, Role)
    case peerJoined(Participant)
    case peerLeft(Participant)
    /// Somebody of our own role is in the room, or offered; nil where the server does not tell who.
    case sameRole(Participant?)
    case call(CallReport)
    /// What the peers say to each other, where the plan wants it told.
    case signal(SignalDirection, SignalMessage)
    case error(Diagnosis)
    /// What the run survives, for people.
    case warning(String)
    /// The app shows another screen: `login`, `room` or `call`.
    case screen(String)
    /// The room is left; all that remains is to close what is open. The last one.
    case closing
}

/// Which way a signal went.
package enum SignalDirection: String, Hashable, Sendable {
    case sent, received
}
