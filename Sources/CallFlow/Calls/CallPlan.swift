package import CallCore

/// What a run is to do: the command line in terms of calls.
package struct CallPlan: Hashable, Sendable {
    package var identity: Identity
    package var role: Role
    /// Deadlines, retries, duration, answering; `leavesRoom` is the flow's to decide.
    package var options = CallOptions()
    /// Whether the room is kept after a call, for the peer to leave and return.
    package var stays = false
    /// How many calls are held with the same peer before the run is over; at least 1.
    package var calls = 1
    /// Between one call and the caller's next.
    package var pause = Duration.zero
    /// Whether a caller dials as soon as its peer is there; else the user says when.
    package var dialsByItself = true
    /// Whether role and connection are the user's to change while the room is shown; the loss of the socket, while no
    /// call is held, then ends the stay.
    package var isManaged = false
    /// How long the signaling may be gone while no media flows; `stays` waits for ever.
    package var signalingPatience = Duration.seconds(60)
    /// Whether `FlowEvent.signal` is told.
    package var tellsSignals = false

    package init(identity: Identity, role: Role) {
        self.identity = identity
        self.role = role
    }
}
