/// Somebody in the room, as the server told it; servers of the seed's kind may leave the role out.
package struct Participant: Hashable, Sendable {
    package var username: String
    package var role: Role?

    package init(username: String, role: Role?) {
        self.username = username
        self.role = role
    }
}
