internal import ChatCore

/// The encoded frames of an event; each is encoded once for all recipients with the same kind of client.
struct ChatFrames {
    private let event: ChatEvent
    /// The frame for clients of the extended protocol that have opened this conversation instead of the inbox.
    private var extended: String?
    /// The frames for clients of the original protocol, by the base URL of the server.
    private var plain: [String: String] = [:]

    init(_ event: ChatEvent) { self.event = event }

    /// Returns the frame for a client; nil if the client does not support such events.
    ///
    /// `peer` is the ID of the other person of the conversation; only frames to an inbox contain it.
    mutating func text(for seat: ChatSeat, of peer: Int?) -> String? {
        guard seat.isExtended else {
            if let known = plain[seat.base] { return known }
            let made = event.plain(seat.base).plainText
            plain[seat.base] = made
            return made
        }
        guard seat.peer != nil else { return ChatEventEnvelope(event, with: peer).text }
        if let extended { return extended }
        let made = ChatEventEnvelope(event).text
        extended = made
        return made
    }
}

extension ChatEvent {
    /// The event in a form for clients of the original protocol: URLs replace files, and deleted messages are omitted
    /// from a history.
    fileprivate func plain(_ base: String) -> ChatEvent {
        switch self {
        case .history(let messages, let before, let hasMore):
            let shown = messages.filter { !$0.isDeleted }.map { $0.plain(base) }
            return .history(shown, before: before, hasMore: hasMore)
        case .message(let message): return .message(message.plain(base))
        default: return self
        }
    }
}

extension ChatMessage {
    fileprivate func plain(_ base: String) -> ChatMessage {
        guard let media else { return self }
        var message = self
        message.text += "\(text.isEmpty ? "" : "\n")\(base)\(media.url)"
        return message
    }
}
