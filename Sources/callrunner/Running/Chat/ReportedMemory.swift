internal import ChatClient
internal import ChatCore

/// A storage for conversations that also reports each outgoing message as soon as it is stored persistently.
struct ReportedMemory: ChatMemory {
    private let archive: ChatArchive
    private let writer: ChatWriter

    init(_ archive: ChatArchive, _ writer: ChatWriter) { (self.archive, self.writer) = (archive, writer) }

    func conversation(with peer: Int) async -> KeptConversation {
        let kept = await archive.conversation(with: peer)
        writer.know(kept.outbox)
        return kept
    }

    func keep(_ messages: [ChatMessage], mode: ConversationState.Mode?, with peer: Int) async {
        await archive.keep(messages, mode: mode, with: peer)
    }

    func keep(_ outbox: [OutgoingMessage], with peer: Int) async {
        await archive.keep(outbox, with: peer)
        await writer.queued(outbox)
    }

    func preferences() async -> ChatPreferences { await archive.preferences() }

    func keep(_ preferences: ChatPreferences, replacing old: ChatPreferences) async -> Bool {
        await archive.keep(preferences, replacing: old)
    }
}
