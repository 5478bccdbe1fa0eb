/// All conversations of a person, for display in a list.
package struct InboxState: Hashable, Sendable {
    package typealias Link = ConversationState.Link

    package var link = Link.closed
    /// The number of times that the connection has become ready.
    package var openings = 0
    /// Whether the server has inboxes, which original servers lack; nil until it is known.
    package var isSupported: Bool?
    /// The conversations; those with the newest messages come first.
    package var conversations: [ChatConversation] = []
    /// Whether people are online, by their IDs, as reported by the server.
    package var presence: [Int: Bool] = [:]
    /// The IDs of the people whom the user blocks.
    package var blocked: Set<Int> = []

    package init() {}

    /// The number of unread messages.
    package var unread: Int { conversations.reduce(0) { $0 + $1.unread } }

    /// Returns the conversation with a person.
    package subscript(with peer: Int) -> ChatConversation? { conversations.first { $0.with == peer } }
}

/// An event of an inbox that is not part of its state.
package enum InboxReport: Hashable, Sendable {
    /// A message from another person has arrived.
    case received(ChatMessage, with: Int)
    /// Another person invites the user to a call in a room.
    case call(room: Int, from: Int)
    /// The server has stored the user's report about a person.
    case reported(person: Int)
    /// The other person has ended an unanswered call in a room.
    case hangUp(room: Int, from: Int)
    /// Another device of the user has answered or declined a call from a person in a room.
    case callSettled(room: Int, with: Int)
    /// A call was refused or could not be made; the room is nil if the server did not name it.
    case callRefused(room: Int?, ChatError)
    /// The results of a search.
    case found(query: String, [ChatMessage])
    /// The server has stored a message of the user.
    case stored(ChatMessage, with: Int)
    /// The server refused a request or sent an invalid frame, or a request was made without a connection.
    ///
    /// The request is set if it could not be sent or is a call, and the message ID if the server names one.
    case failed(ChatError, of: ChatRequest? = nil, message: String? = nil)
}
