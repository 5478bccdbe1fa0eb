/// A conversation as a screen shows it.
package struct ConversationState: Hashable, Sendable {
    /// The connection to the server.
    package enum Link: Hashable, Sendable {
        case connecting
        case open
        /// The connection was lost, and is tried again.
        case reconnecting(ChatError)
        /// The conversation was stopped, or the server has ended it.
        case closed
    }

    /// The protocol that the server speaks.
    package enum Mode: Hashable, Sendable {
        /// The protocol of the original server: texts only, without IDs.
        case plain
        case extended
    }

    package var link = Link.closed
    /// The server's protocol; nil until a server has told it.
    package var mode: Mode?
    /// The messages in the order of the server, and after them the own ones that the server does not have yet.
    package var items: [ChatItem] = []
    /// Whether the server has older messages.
    package var hasMore = false
    package var isLoadingOlder = false
    package var isPeerTyping = false
    /// Whether the other person is online; nil while nobody has told it.
    package var isPeerOnline: Bool?
    /// Whether a history was received or restored, so that an empty list means an empty conversation.
    package var isLoaded = false
    /// The number of own messages that are being sent, or wait for a connection.
    package var waitingMessages = 0
    /// The number of messages that the user has asked to send, whatever has become of them.
    package var acceptedMessages = 0

    package init() {}
}

/// A message in a conversation, and how far it has come.
package struct ChatItem: Hashable, Sendable {
    package enum Progress: Hashable, Sendable {
        /// The server has the message.
        case stored
        /// The message was sent, and the server has not confirmed it.
        case sending
        /// The message waits for a connection.
        case waiting
        /// The message is only here; it can be sent again or deleted.
        case notSent(ChatError)
    }

    /// A name that is unique in the conversation.
    package let key: String
    package var message: ChatMessage
    package var progress: Progress
    package var isMine: Bool
    /// Whether the own message has reached a device of the other person.
    package var isDelivered = false
    /// Whether the other person has read the own message.
    package var isRead = false

    package init(key: String, message: ChatMessage, progress: Progress = .stored, isMine: Bool) {
        (self.key, self.message, self.progress, self.isMine) = (key, message, progress, isMine)
    }
}

/// An event of a conversation that is not part of its state.
package enum ConversationReport: Hashable, Sendable {
    /// A message has come that was not there before.
    case received(ChatMessage)
    /// The server has stored an own message.
    case stored(ChatMessage)
    /// An own message was not sent; one that is only a text may return to the field, and then the item is to be
    /// discarded.
    case notSent(key: String, text: String, isTextOnly: Bool = true, ChatError)
    /// The server refused something else, or sent something that cannot be understood.
    case failed(ChatError)
    /// The other person calls to a room.
    case call(room: Int)
    /// The answer to a search.
    case found(query: String, [ChatMessage])
    /// The connection was lost, and is tried again after a time.
    case reconnecting(ChatError, after: Duration)
}
