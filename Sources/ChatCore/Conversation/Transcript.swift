/// The messages of a conversation that the server has stored, in the server's order.
struct Transcript: Hashable, Sendable {
    private(set) var items: [ChatItem] = [] {
        didSet { revision += 1 }
    }
    /// A number that changes whenever the items may have changed.
    private(set) var revision = 0
    /// The positions of the items whose messages have IDs.
    private var positions: [String: Int] = [:]
    /// The number of items up to and including the other person's latest message.
    private var answered = 0
    /// The number of messages without an ID for each combination of time, sender and text.
    private var ordinals: [String: Int] = [:]
    private let own: Int
    private let ownName: String?

    init(own: Int, name: String?) { (self.own, ownName) = (own, name) }

    /// Returns the message with an ID.
    subscript(id: String) -> ChatMessage? { positions[id].map { items[$0].message } }

    /// Replaces all messages.
    mutating func replace(by messages: [ChatMessage]) {
        let last = revision
        self = Transcript(own: own, name: ownName)
        revision = last + 1
        for message in messages { append(message) }
    }

    /// Merges the newest messages with the known ones; older messages remain if the new page overlaps them.
    ///
    /// - Returns: The messages that were not known.
    mutating func merge(newest messages: [ChatMessage]) -> [ChatMessage] {
        let isKnown = messages.map { $0.id.map { positions[$0] != nil } ?? false }
        let new = zip(messages, isKnown).filter { !$0.1 }.map(\.0)
        let first = messages.first?.id.flatMap { positions[$0] }
        guard let first else {
            // The page does not overlap the known messages, so messages in between may be missing.
            replace(by: messages)
            return new
        }
        replace(by: items[..<first].map(\.message) + messages)
        return new
    }

    /// Inserts older messages before the known ones.
    mutating func prepend(_ messages: [ChatMessage]) {
        var ids: Set<String> = []
        let older = messages.filter { message in
            message.id.map { positions[$0] == nil && ids.insert($0).inserted } ?? false
        }
        guard !older.isEmpty else { return }
        let marked = items
        replace(by: older + items.map(\.message))
        for item in marked {
            guard let position = item.message.id.flatMap({ positions[$0] }) else { continue }
            (items[position].isDelivered, items[position].isRead) = (item.isDelivered, item.isRead)
        }
    }

    /// Appends a message, or replaces the message with the same ID.
    ///
    /// - Returns: Whether the message is new.
    @discardableResult
    mutating func append(_ message: ChatMessage) -> Bool {
        let isMine = message.isFrom(own, name: ownName)
        if let id = message.id {
            if let position = positions[id] {
                items[position].message = message
                return false
            }
            positions[id] = items.count
            items.append(ChatItem(key: id, message: message, isMine: isMine))
        } else {
            let name = "\(message.time)|\(message.from)|\(message.text)"
            let ordinal = ordinals[name, default: 0]
            ordinals[name] = ordinal + 1
            items.append(ChatItem(key: "\(name)|\(ordinal)", message: message, isMine: isMine))
        }
        if !isMine { noteAnswer() }
        return true
    }

    /// Marks the user's messages before an answer as delivered, because automatic replies do not report delivery.
    private mutating func noteAnswer() {
        for index in items[answered...].indices where items[index].isMine { items[index].isDelivered = true }
        answered = items.count
    }

    /// Adds a message of the user, which may arrive long after it was stored.
    ///
    /// An older message is inserted by its time; it is left out if it belongs to a page that is not loaded.
    ///
    /// - Returns: Whether the message was not known.
    mutating func insert(_ message: ChatMessage) -> Bool {
        guard let id = message.id, positions[id] == nil,
            let index = items.firstIndex(where: { $0.message.time > message.time })
        else { return append(message) }
        guard index > 0 else { return false }
        items.insert(ChatItem(key: id, message: message, isMine: true), at: index)
        answered = min(answered, index)
        for position in items.indices[index...] {
            if let id = items[position].message.id { positions[id] = position }
        }
        return true
    }

    /// Drops the oldest messages if there are more than `ChatLimits.loaded`.
    ///
    /// - Returns: Whether messages were dropped.
    mutating func trim() -> Bool {
        guard items.count > ChatLimits.loaded else { return false }
        let kept = Array(items.dropFirst(items.count - ChatLimits.loaded * 3 / 4))
        let last = revision
        self = Transcript(own: own, name: ownName)
        revision = last + 1
        for item in kept {
            append(item.message)
            (items[items.count - 1].isDelivered, items[items.count - 1].isRead) = (
                item.isDelivered, item.isRead
            )
        }
        return true
    }

    mutating func change(_ id: String, _ body: (inout ChatMessage) -> Void) {
        if let position = positions[id] { body(&items[position].message) }
    }

    /// Marks the user's messages up to this one as read or delivered.
    mutating func mark(upTo id: String, _ path: WritableKeyPath<ChatItem, Bool>) {
        guard let last = positions[id] else { return }
        for index in items[...last].indices.reversed() where items[index].isMine {
            if items[index][keyPath: path] { break }
            items[index][keyPath: path] = true
        }
    }
}
