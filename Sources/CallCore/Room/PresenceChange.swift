/// A change of presence that a room event caused.
package enum PresenceChange: Hashable, Sendable {
    case appeared(Participant)
    /// A second socket appeared under a name and role already present.
    case reappeared(Participant)
    /// The participant left; `wasReported` is false if the server had never reported its presence.
    case left(Participant, wasReported: Bool = true)
    /// One socket of a peer has gone, and it is unknown whether the peer had already replaced it.
    case leftPerhaps(Participant)
    /// The participant left while we were disconnected.
    case missing(Participant)
}
