package import CallCore

/// A visit to another room for one call with a person from the chat.
package struct RoomVisit: Hashable, Sendable {
    package var identity: Identity
    package var role: Role
    /// The name of the other person, as shown in the chat.
    package var peer: String

    package init(identity: Identity, role: Role, peer: String) {
        (self.identity, self.role, self.peer) = (identity, role, peer)
    }
}

/// The end of a visit to another room.
struct VisitEnd: Hashable, Sendable {
    enum Result: Hashable, Sendable {
        /// The call took place, even if no media flowed.
        case called(CallSummary)
        /// The user or the other person cancelled the visit before a call began.
        case cancelled
        /// The other person did not join, or the room could not be joined or was lost.
        case lost(RoomLoss)
    }

    let visit: RoomVisit
    let result: Result

    /// Whether a call took place, even if no media flowed.
    var isCall: Bool { if case .called = result { true } else { false } }
}
