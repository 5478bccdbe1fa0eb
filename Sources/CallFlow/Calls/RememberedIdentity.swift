package import CallCore

/// Whom the app was last used as, and where.
package struct RememberedIdentity: Hashable, Sendable {
    package var identity: Identity
    /// The one last set in the room.
    package var role: Role

    package init(identity: Identity, role: Role) {
        self.identity = identity
        self.role = role
    }
}
