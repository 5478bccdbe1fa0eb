/// All conversations of a person, as a list shows them.
package struct InboxState: Hashable, Sendable {
    package typealias Link = ConversationState.Link

    package var link = Link.closed
    /// The number of connections that were open.
    package var openings = 0
    /// Whether the server has inboxes, as original servers do not; nil until a server has told it.
    package var isSupported: Bool?
    /// The conversations, the one with the newest message first.
    package var conversations: [ChatConversation] = []
    /// Whether people are online, by their IDs, as far as the server has told it.
    package var presence: [Int: Bool] = [:]
    /// The people whom the owner blocks, by their IDs.
    package var blocked: Set<Int> = []

    package init() {}

    /// The number of messages that have not been read.
    package var unread: Int { conversations.reduce(0) { $0 + $1.unread } }

    /// Returns the conversation with a person.
    package subscript(with peer: Int) -> ChatConversation? { conversations.first { $0.with == peer } }
}

/// An event of an inbox that is not part of its state.
package enum InboxReport: Hashable, Sendable {
    /// Somebody has written.
    case received(ChatMessage, with: Int)
    /// Somebody calls to a room.
    case call(room: Int, from: Int)
    /// The server has stored the report about a person.
    case reported(person: Int)
    /// A call to a room that was not answered is over.
    case hangUp(room: Int, from: Int)
    /// Another device of the owner has answered or declined a call of a person to a room.
    case callSettled(room: Int, with: Int)
    /// A call to a room was refused, or could not be made; nil if a server does not name the room.
    case callRefused(room: Int?, ChatError)
    /// The answer to a search.
    case found(query: String, [ChatMessage])
    /// The server has stored an own message.
    case stored(ChatMessage, with: Int)
    /// The server refused something, or sent something that cannot be understood; or there is no connection.
    ///
    /// The request is known if it was not made, the ID of the message if the server names one.
    case failed(ChatError, of: ChatRequest? = nil, message: String? = nil)
}
