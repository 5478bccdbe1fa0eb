package import CallCore

/// An event that a run reports to a script, in order; each is one JSON line.
package enum FlowEvent: Hashable, Sendable {
    case signalingConnected(url: String, transport: String)
    /// The signaling connection was lost; `retryIn` is in seconds, nil without a retry.
    case signalingDisconnected(reason: String, retryIn: Double?)
    case roomJoined(Identity, Role)
    /// We leave and rejoin the room deliberately, so that the server informs the peer of the end of a call.
    case rejoining
    case roomRejoined(Identity, Role)
    case peerJoined(Participant)
    case peerLeft(Participant)
    /// A participant of our own role is in the room or made an offer; nil if its name was not reported.
    case sameRole(Participant?)
    case call(CallReport)
    /// A message between the peers, if `CallPlan.reportsSignals` is set.
    case signal(SignalDirection, SignalMessage)
    case error(Diagnosis)
    /// A problem that does not end the run, for people.
    case warning(String)
    /// The app shows another screen: `login`, `room` or `call`.
    case screen(String)
    /// The last event: the room has been left, and only cleanup remains.
    case closing
}

/// The direction of a signal.
package enum SignalDirection: String, Hashable, Sendable {
    case sent, received
}
