package import CallCore

/// The plan of a session in a room, which results from the command line or the settings of the app.
package struct CallPlan: Hashable, Sendable {
    package var identity: Identity
    package var role: Role
    /// The options of each call; `RoomController` overrides `leavesRoom`.
    package var options = CallOptions()
    /// Whether we stay in the room after a call, so that the peer may leave and return.
    package var stays = false
    /// The number of calls with the same peer, at least 1; after the last one, the run ends unless `stays` is set.
    package var calls = 1
    /// The pause after a call before the caller calls again.
    package var pause = Duration.zero
    /// Whether a caller calls as soon as its peer is in the room; otherwise the user decides.
    package var dialsAutomatically = true
    /// Whether the user may change the role and the connection while the room is shown.
    ///
    /// If so, the loss of the socket between calls ends the session in the room.
    package var isManaged = false
    /// The time for which signaling may be down while no media flows; there is no limit if `stays` is set.
    package var signalingTimeout = Duration.seconds(60)
    /// Whether `FlowEvent.signal` is emitted.
    package var reportsSignals = false

    /// The name of the person to call; nil unless the session is a visit (`RoomVisit`) for a call from the chat.
    package var visitedPeer: String?

    /// Whether the session is a visit for one call with a person from the chat.
    package var isVisit: Bool { visitedPeer != nil }

    package init(identity: Identity, role: Role) {
        self.identity = identity
        self.role = role
    }
}
