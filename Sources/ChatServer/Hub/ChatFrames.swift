internal import ChatCore

/// The frames of an event, each of which is made once for all sockets that get it.
struct ChatFrames {
    private let event: ChatEvent
    /// The frame for extended clients that have opened the conversation.
    private var extended: String?
    /// The frames for plain clients, by the beginning of the server's addresses.
    private var plain: [String: String] = [:]

    init(_ event: ChatEvent) { self.event = event }

    /// Returns the frame of the conversation with `peer` for the client of a socket; nil if it does not know such events.
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
    /// The event as plain clients can understand it: files are addresses, and deleted messages are left out.
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
