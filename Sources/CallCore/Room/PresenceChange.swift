/// A change in who is there, made by a room event.
package enum PresenceChange: Hashable, Sendable {
    case appeared(Participant)
    /// A second socket under a name and role already there.
    case cameAgain(Participant)
    /// `wasTold` where the server had told of the participant before, and not only of its leaving.
    case left(Participant, wasTold: Bool = true)
    /// One socket of a peer has gone, and nobody can tell whether it is one that the peer has replaced.
    case leftPerhaps(Participant)
    /// Gone while we were not there to hear it.
    case missing(Participant)
}
