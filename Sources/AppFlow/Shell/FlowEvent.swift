package import CallCore

/// An event that a run reports to scripts as one JSON line; the events are reported in order.
package enum FlowEvent: Hashable, Sendable {
    case signalingConnected(url: String, transport: String)
    /// The signaling connection was lost; `retryIn` is the delay in seconds before a retry, nil without one.
    case signalingDisconnected(reason: String, retryIn: Double?)
    case roomJoined(Identity, Role)
    /// This side leaves and rejoins the room deliberately, so that the server informs the peer of the end of a call.
    case rejoining
    case roomRejoined(Identity, Role)
    case peerJoined(Participant)
    case peerLeft(Participant)
    /// A participant of our own role is in the room or has made an offer; nil if the participant's name was not
    /// reported.
    case sameRole(Participant?)
    case call(CallReport)
    /// A message between the peers, reported only if `CallPlan.reportsSignals` is set.
    case signal(SignalDirection, SignalMessage)
    case error(Diagnosis)
    /// The user has changed the volume of the peer's audio, in percent.
    case volume(Int)
    /// A message to the user about a problem that does not end the run.
    case warning(String)
    /// The app shows another screen: `home`, `library`, `chats`, `chat`, `login`, `room`, `call`, `settings`, or a page
    /// of the account: `account`, `phone`, `code`, `registration`, `profile` or `profile-edit`.
    case screen(String)
    /// The last event of a run from the command line: the room has been left, and only cleanup remains.
    case closing
}

/// The direction of a signal.
package enum SignalDirection: String, Hashable, Sendable {
    case sent, received
}
