/// The state of a conversation for display.
package struct ConversationState: Hashable, Sendable {
    /// The connection to the server.
    package enum Link: Hashable, Sendable {
        case connecting
        case open
        /// The connection was lost, and the client is reconnecting.
        case reconnecting(ChatError)
        /// The conversation was stopped, or the server has ended it.
        case closed
    }

    /// The protocol that the server speaks.
    package enum Mode: Hashable, Sendable {
        /// The protocol of the original server: texts only, without IDs.
        case plain
        /// The extended protocol: all features of messages, which have IDs.
        case extended
    }

    package var link = Link.closed
    /// The server's protocol; nil until it is known.
    package var mode: Mode?
    /// The messages in the server's order, followed by the user's own messages that the server has not confirmed.
    package var items: [ChatItem] = []
    /// Whether the server has older messages.
    package var hasMore = false
    package var isLoadingOlder = false
    package var isPeerTyping = false
    /// Whether the other person is online; nil if the server has not reported it.
    package var isPeerOnline: Bool?
    /// Whether the server simulates the other person, who can then not be called.
    package var isPeerSimulated = false
    /// Whether a history was received or restored, so that an empty list means an empty conversation.
    package var isLoaded = false
    /// The number of the user's messages that are being sent or wait to be sent.
    package var waitingMessages = 0
    /// The number of messages that the user has sent, including those that have failed.
    package var acceptedMessages = 0

    package init() {}
}

/// A message in a conversation, with its delivery status.
package struct ChatItem: Hashable, Sendable {
    package enum Progress: Hashable, Sendable {
        /// The server has the message.
        case stored
        /// The message was sent, and the server has not confirmed it.
        case sending
        /// The message waits for a connection.
        case waiting
        /// The message was not sent and is stored only on this client; the user can resend or delete it.
        case notSent(ChatError)
    }

    /// A key that is unique in the conversation.
    package let key: String
    package var message: ChatMessage
    package var progress: Progress
    package var isMine: Bool
    /// Whether the user's own message has reached a device of the other person.
    package var isDelivered = false
    /// Whether the other person has read the user's own message.
    package var isRead = false

    package init(key: String, message: ChatMessage, progress: Progress = .stored, isMine: Bool) {
        (self.key, self.message, self.progress, self.isMine) = (key, message, progress, isMine)
    }
}

/// An event of a conversation that is not part of its state.
package enum ConversationReport: Hashable, Sendable {
    /// A new message from the other person has arrived.
    case received(ChatMessage)
    /// The server has stored a message of the user.
    case stored(ChatMessage)
    /// A message of the user was not sent.
    ///
    /// If it consists of text only, the text may be put back into the input field, and the item must then be discarded.
    case notSent(key: String, text: String, isTextOnly: Bool = true, ChatError)
    /// The server refused another request, or sent an invalid frame.
    case failed(ChatError)
    /// The other person invites the user to a call in a room.
    case call(room: Int)
    /// The results of a search.
    case found(query: String, [ChatMessage])
    /// The connection was lost; the client reconnects after a delay.
    case reconnecting(ChatError, after: Duration)
}
