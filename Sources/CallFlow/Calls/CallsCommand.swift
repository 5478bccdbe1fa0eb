package import CallCore

/// A command of the user to the app; a step that cannot use a command ignores it.
package enum CallsCommand: Hashable, Sendable {
    case call(CallCommand)
    /// Leaves the login screen and shows the room of this identity.
    case proceed(Identity)
    case setRole(Role)
    /// Changes to the other role and joins the room in it.
    case switchRole
    case connect
    /// Leaves the room, or ends the attempt to join it; a call is hung up first.
    case disconnect
    /// Disconnects and deletes the identity and the token of the user.
    case logout
    /// Disconnects and ends the run.
    case quit
}
