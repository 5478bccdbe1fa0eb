package import ChatCore

/// A read or write operation on the storage; all except searches are performed in the order of the hub's requests.
package enum ChatOperation: Hashable, Sendable {
    /// Stores the names of people, which are shown in messages.
    case name([Int: String])
    /// Reads the newest messages of a conversation for the person who opens it, and creates the conversation if it is
    /// new.
    case open(person: Int, peer: Int, limit: Int, isReader: Bool)
    /// Reads the conversations of a person.
    case inbox(person: Int)
    /// Reads the messages before the one with the ID `before`, or the newest ones if it is nil.
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
    /// The approximate memory in bytes of the operation while it is pending.
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

    /// The cost of the operation in a batch; it is higher if the result is large or takes long to read.
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
    /// Whether the message reaches a device of the recipient immediately.
    package var isDelivered = false
    /// Whether a client of the original protocol shows the message to the recipient immediately; such clients do not
    /// report read messages.
    package var isRead = false

    package init(id: String, from sender: Int, to recipient: Int, text: String) {
        (self.id, self.sender, self.recipient, self.text) = (id, sender, recipient, text)
    }
}

/// The result of a `ChatOperation`.
package enum ChatOutcome: Hashable, Sendable {
    case opened(ChatPage, ChatMarks)
    /// The conversations, and the ID of the last newly delivered message of each one, by the ID of the other person.
    case inbox([ChatConversation], delivered: [Int: String])
    case page(ChatPage)
    /// A message was stored; `isNew` is false if it had been stored before and was resent.
    case message(ChatMessage, isNew: Bool)
    case edited(text: String)
    /// A message was deleted; its file must be deleted if `file` is set, because no other message uses it.
    case deleted(file: String?)
    case reaction
    /// Messages were marked as read; `isNew` is false if they had been marked before.
    case read(isNew: Bool)
    case done
    case found([ChatMessage])
    case refused(ChatRequest.Refusal)
}

/// A page of messages of a conversation.
package struct ChatPage: Hashable, Sendable {
    package var messages: [ChatMessage]
    package var hasMore: Bool

    package init(_ messages: [ChatMessage], hasMore: Bool) {
        (self.messages, self.hasMore) = (messages, hasMore)
    }
}

/// The read and delivery marks of a conversation, seen by the person who opens it.
package struct ChatMarks: Hashable, Sendable {
    /// The ID of the last message that the other person has read.
    package var read: String?
    /// The ID of the last message that was delivered to the other person.
    package var delivered: String?
    /// The ID of the last message that is delivered to the opening person by this operation; nil if it was delivered
    /// before.
    package var newlyDelivered: String?
    /// The ID of the last message that the opening person reads by this operation; nil if it was read before.
    package var newlyRead: String?

    package init() {}
}
