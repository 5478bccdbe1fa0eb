/// The own messages of a conversation that the server has not confirmed, in order.
package struct Outbox: Hashable, Sendable {
    /// The most messages that are sent and not confirmed.
    ///
    /// With more, a message that is refused for a time would be stored after those that follow it.
    private static let window = 1

    package private(set) var messages: [OutgoingMessage]

    init(_ messages: [OutgoingMessage]) { self.messages = messages }

    var isFull: Bool { messages.count >= ChatLimits.outbox }

    /// Whether a message that was sent by a connection is not confirmed.
    func isWaiting(for connection: Int) -> Bool {
        messages.contains { $0.sentBy == connection && $0.failure == nil }
    }

    mutating func append(_ message: OutgoingMessage) { messages.append(message) }

    /// Removes a message that is not sent any more; nil if there is none with this ID.
    mutating func removeFailed(_ id: String) -> OutgoingMessage? {
        messages.firstIndex { $0.id == id && $0.failure != nil }.map { messages.remove(at: $0) }
    }

    /// Takes the messages that may be sent now, and notes the connection by which they are.
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

    /// Removes the message that the server has stored; false if it is not one of these.
    ///
    /// An original server gives no IDs: there it is the oldest message with this text that was sent.
    mutating func confirm(_ stored: ChatMessage) -> Bool {
        let index = messages.firstIndex { message in
            if let id = stored.id { return message.id == id }
            return message.sentBy != nil && message.text == stored.text
        }
        guard let index else { return false }
        messages.remove(at: index)
        return true
    }

    /// Notes that a message is not sent until the user asks for it; nil if there is none with this ID.
    mutating func fail(_ id: String, _ error: ChatError) -> OutgoingMessage? {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return nil }
        messages[index].failure = error
        return messages[index]
    }

    /// Notes that a message is to be sent again; false if there is none with this ID.
    mutating func sendAgain(_ id: String) -> Bool {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return false }
        messages[index].sentBy = nil
        return true
    }

    /// Gives up all messages that were sent, because nobody knows whether they have arrived.
    ///
    /// With `includingUnsent`, the messages of earlier connections and processes are given up as well.
    ///
    /// - Returns: Whether there were any.
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
