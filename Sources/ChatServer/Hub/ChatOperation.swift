package import ChatCore

/// Something that is stored or read in the order in which the hub asks for it.
package enum ChatOperation: Hashable, Sendable {
    /// Notes the names of people, which messages show.
    case name([Int: String])
    /// Reads the newest messages of a conversation, which is begun if it is new, for the person who opens it.
    case open(person: Int, peer: Int, limit: Int, isReader: Bool)
    /// Reads the conversations of a person.
    case inbox(person: Int)
    /// Reads the messages before one.
    case page(person: Int, peer: Int, before: String?, limit: Int)
    case message(ChatDraft)
    case edit(id: String, text: String, person: Int, peer: Int)
    case delete(id: String, person: Int, peer: Int)
    case reaction(id: String, ChatReaction, isAdded: Bool, person: Int, peer: Int)
    case read(id: String, person: Int, peer: Int)
    case block(person: Int, blocked: Int, isBlocked: Bool)
    case report(person: Int, reported: Int, reason: String)
    case search(person: Int, query: String)
}

extension ChatOperation {
    /// The approximate memory in bytes that the operation takes while it waits.
    var bytes: Int {
        let length =
            switch self {
            case .message(let draft): draft.text.utf8.count
            case .edit(_, let text, _, _): text.utf8.count
            case .report(_, _, let reason): reason.utf8.count
            case .search(_, let query): query.utf8.count
            case .name(let names): names.values.reduce(0) { $0 + $1.utf8.count }
            case .open, .inbox, .page, .delete, .reaction, .read, .block: 0
            }
        return 512 + length
    }

    /// The share of a batch that the operation takes, because its result is large or takes long to find.
    var weight: Int {
        switch self {
        case .open, .inbox, .page, .search: 16
        case .name, .message, .edit, .delete, .reaction, .read, .block, .report: 1
        }
    }
}

/// A message to be stored.
package struct ChatDraft: Hashable, Sendable {
    package var id: String
    package var sender: Int
    package var recipient: Int
    package var text: String
    package var media: String?
    package var replyTo: String?
    package var isAutomatic = false
    /// Whether a device of the recipient gets the message at once.
    package var isDelivered = false
    /// Whether a device of the recipient that cannot tell what was read shows the message at once.
    package var isRead = false

    package init(id: String, from sender: Int, to recipient: Int, text: String) {
        (self.id, self.sender, self.recipient, self.text) = (id, sender, recipient, text)
    }
}

/// The result of an operation.
package enum ChatOutcome: Hashable, Sendable {
    case opened(ChatPage, ChatMarks)
    /// The conversations, and the people whose messages have now been delivered, with the last of those.
    case inbox([ChatConversation], delivered: [Int: String])
    case page(ChatPage)
    /// A message was stored, now or when it was sent before.
    case message(ChatMessage, isNew: Bool)
    case edited(text: String)
    /// A message was deleted, and its file is to be removed, if it had one that nobody else has.
    case deleted(file: String?)
    case reaction
    /// A message was marked as read; false if a later one was so before.
    case read(isNew: Bool)
    case done
    case found([ChatMessage])
    case refused(ChatRequest.Refusal)
}

/// A part of a conversation.
package struct ChatPage: Hashable, Sendable {
    package var messages: [ChatMessage]
    package var hasMore: Bool

    package init(_ messages: [ChatMessage], hasMore: Bool) {
        (self.messages, self.hasMore) = (messages, hasMore)
    }
}

/// The marks of a conversation that its other person has set, or that are set by opening it.
package struct ChatMarks: Hashable, Sendable {
    /// The last message that the other person has read.
    package var read: String?
    /// The last message that has reached the other person.
    package var delivered: String?
    /// The last message that has now reached the person who opens the conversation, if that is new.
    package var newlyDelivered: String?
    /// The last message that the person who opens the conversation has now read, if that is new.
    package var newlyRead: String?

    package init() {}
}
