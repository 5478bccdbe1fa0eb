/// A change of presence that a room event caused.
package enum PresenceChange: Hashable, Sendable {
    case appeared(Participant)
    /// A participant that was already known has joined with another socket.
    case reappeared(Participant)
    /// The participant left; `wasReported` is false if the server had never reported its presence.
    case left(Participant, wasReported: Bool = true)
    /// A socket of a possible peer was closed, and it is unknown whether the peer had replaced it before.
    case leftPerhaps(Participant)
    /// The participant is missing from a new participant list: it left while we were disconnected, or it has
    /// not rejoined yet.
    case missing(Participant)
}
