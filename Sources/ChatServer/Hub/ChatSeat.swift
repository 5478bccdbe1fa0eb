/// The person and the conversation of a socket, and the abilities of its client.
package struct ChatSeat: Hashable, Sendable {
    package let person: Int
    /// The other person of the conversation; nil for an inbox.
    package let peer: Int?
    /// Whether the client knows more than texts.
    package let isExtended: Bool
    /// The names of these people, as far as they have any.
    package var names: [Int: String] = [:]
    /// The access token that the client has shown, if any.
    package var token: String?
    /// The beginning of the server's addresses, such as `http://localhost:3000`, which plain clients get with files.
    package var base = ""

    package init(_ person: Int, with peer: Int?, isExtended: Bool) {
        (self.person, self.peer, self.isExtended) = (person, peer, isExtended)
    }
}
