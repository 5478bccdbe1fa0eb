/// A participant of the room as reported by the server; some servers omit the role.
package struct Participant: Hashable, Sendable {
    package var username: String
    package var role: Role?

    package init(username: String, role: Role?) {
        self.username = username
        self.role = role
    }
}
