package import CallCore

/// A session in a room for one call with a person of the chat.
package struct RoomVisit: Hashable, Sendable {
    package var identity: Identity
    package var role: Role
    /// The name of the other person, as the chat shows it.
    package var peer: String

    package init(identity: Identity, role: Role, peer: String) {
        (self.identity, self.role, self.peer) = (identity, role, peer)
    }
}

/// The end of a visit.
struct VisitEnd: Hashable, Sendable {
    enum Result: Hashable, Sendable {
        /// There was a call.
        case called(CallSummary)
        /// The user, or the other person, has ended the visit before there was a call.
        case cancelled
        /// Nobody came, or the room could not be joined or was lost.
        case lost(RoomLoss)
    }

    let visit: RoomVisit
    let result: Result

    /// Whether there was a call, even one in which media has not flowed.
    var isCall: Bool { if case .called = result { true } else { false } }
}
