/// The user's own messages of a conversation that the server has not confirmed, in order.
package struct Outbox: Hashable, Sendable {
    /// The maximum number of sent messages that are unconfirmed.
    ///
    /// With more than one, a message that is temporarily refused would be stored after the messages that follow it.
    private static let window = 1

    package private(set) var messages: [OutgoingMessage]

    init(_ messages: [OutgoingMessage]) { self.messages = messages }

    var isFull: Bool { messages.count >= ChatLimits.outbox }

    /// Returns whether a message that was sent on this connection is unconfirmed.
    func isWaiting(for connection: Int) -> Bool {
        messages.contains { $0.sentBy == connection && $0.failure == nil }
    }

    mutating func append(_ message: OutgoingMessage) { messages.append(message) }

    /// Removes a failed message and returns it; nil if there is none with this ID.
    mutating func removeFailed(_ id: String) -> OutgoingMessage? {
        messages.firstIndex { $0.id == id && $0.failure != nil }.map { messages.remove(at: $0) }
    }

    /// Returns the messages that may be sent now, and marks them as sent on this connection.
    mutating func next(for connection: Int) -> [OutgoingMessage] {
        let waiting = messages.count { $0.sentBy == connection && $0.failure == nil }
        var taken: [OutgoingMessage] = []
        for index in messages.indices where messages[index].failure == nil {
            guard waiting + taken.count < Self.window else { break }
            guard messages[index].sentBy != connection else { continue }
            messages[index].sentBy = connection
            taken.append(messages[index])
        }
        return taken
    }

    /// Removes a message that the server has stored; returns false if it is not in the outbox.
    ///
    /// Original servers do not assign IDs; their messages match the oldest sent message with the same text.
    mutating func confirm(_ stored: ChatMessage) -> Bool {
        let index = messages.firstIndex { message in
            if let id = stored.id { return message.id == id }
            return message.sentBy != nil && message.text == stored.text
        }
        guard let index else { return false }
        messages.remove(at: index)
        return true
    }

    /// Marks a message as failed, so that it is sent again only at the user's request; nil if there is none with this
    /// ID.
    mutating func fail(_ id: String, _ error: ChatError) -> OutgoingMessage? {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return nil }
        messages[index].failure = error
        return messages[index]
    }

    /// Marks a message to be sent again; returns false if there is none with this ID.
    mutating func sendAgain(_ id: String) -> Bool {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return false }
        messages[index].sentBy = nil
        return true
    }

    /// Marks all sent messages as failed, because it is unknown whether they have arrived.
    ///
    /// With `includingUnsent`, messages that have not been sent are marked as well.
    ///
    /// - Returns: Whether any message was marked.
    @discardableResult
    mutating func giveUp(includingUnsent: Bool = false) -> Bool {
        var hasAny = false
        for index in messages.indices where messages[index].failure == nil {
            guard includingUnsent || messages[index].sentBy != nil else { continue }
            messages[index].failure = .notConnected
            // So that a history can confirm it.
            messages[index].sentBy = messages[index].sentBy ?? 0
            hasAny = true
        }
        return hasAny
    }
}
