package import CallCore

/// What the user wants of the app; a step for which a command means nothing ignores it.
package enum AppCommand: Hashable, Sendable {
    case call(CallCommand)
    /// From Login to Room.
    case proceed(Identity)
    case setRole(Role)
    /// Takes the other role, and joins the room with it.
    case switchRole
    case connect
    /// Leaves the room, or ends the attempt to join it; a call is hung up first.
    case disconnect
    /// Disconnects, and forgets who we are.
    case logout
    /// Disconnects, and ends the run.
    case quit
}
