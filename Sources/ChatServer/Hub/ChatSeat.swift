/// The person, the conversation and the protocol of a socket.
package struct ChatSeat: Hashable, Sendable {
    package let person: Int
    /// The other person of the conversation; nil for an inbox.
    package let peer: Int?
    /// Whether the client uses the extended protocol; a plain client supports only text messages.
    package let isExtended: Bool
    /// The known names of the person and the peer, by ID.
    package var names: [Int: String] = [:]
    /// The access token with which the socket was opened, if any.
    package var token: String?
    /// The base URL of the server, such as `http://localhost:3000`, for the file URLs in messages to clients of the
    /// original protocol.
    package var base = ""

    package init(_ person: Int, with peer: Int?, isExtended: Bool) {
        (self.person, self.peer, self.isExtended) = (person, peer, isExtended)
    }
}
