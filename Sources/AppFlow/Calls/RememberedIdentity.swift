package import CallCore

/// The identity and role with which the app was last used.
package struct RememberedIdentity: Hashable, Sendable {
    package var identity: Identity
    /// The role last set in the room.
    package var role: Role

    package init(identity: Identity, role: Role) {
        self.identity = identity
        self.role = role
    }
}
