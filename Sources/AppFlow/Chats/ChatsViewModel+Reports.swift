internal import Basics
internal import ChatCore

extension ChatsViewModel {
    /// Shows the state of the inbox.
    func show(_ inbox: InboxState) {
        var (query, ended) = (String?.none, [String]())
        store.update { state in
            query = state.search.follow(isOpen: inbox.link == .open && inbox.isSupported == true)
            (state.presence, state.blocked) = (inbox.presence, inbox.blocked)
            state.chat?.follow(inbox)
            // Ends recordings for blocked people, because the button that stops them is now hidden.
            ended = inbox.blocked.compactMap { state.endRecording(of: $0, isSent: false) }
            state.conversations = Dictionary(inbox.conversations.map { ($0.with, $0) }) { first, _ in first }
        }
        search(query)
        for id in ended { perform(.file(.voice(.stop(id: id)))) }
    }

    /// Shows the new state of the conversation with `peer`, if it is the open one.
    func show(_ conversation: ConversationState, with peer: Int) {
        var isSoundDeleted = false
        store.update { state in
            guard let chat = state.chat, chat.person.id == peer else { return }
            isSoundDeleted = state.transfers.endSound(
                of: chat.conversation.items,
                deletedIn: conversation.items
            )
            state.chat?.conversation = conversation
        }
        if isSoundDeleted { perform(.file(.sound(.play(nil)))) }
    }

    /// Handles an event of the open conversation.
    ///
    /// The text of a message that was not sent returns to the message field if that is empty.
    func handle(_ report: ConversationReport, with peer: Int) {
        if case .notSent(let key, _, _, let error) = report {
            var isDiscarded = false
            store.update { isDiscarded = $0.transfers.refuseHandedOver(key, error) }
            guard !isDiscarded else { return perform(.command(.discard(key: key), with: peer)) }
        }
        store.update { state in
            if case .stored(let message) = report, let id = message.id { state.transfers.didSend(id) }
            guard state.chat?.person.id == peer else { return }
            switch report {
            case .received: state.chat?.unseen += 1
            case .notSent(let key, let text, let isTextOnly, let error):
                state.chat?.failure = error
                // The message field can hold only a text, and only one.
                guard isTextOnly, state.isFieldFree else { return }
                state.drafts[peer] = text
                state.returned.append(ReturnedMessage(key: key, peer: peer))
            case .failed(let error): state.chat?.failure = error
            case .stored, .call, .found, .reconnecting: break
            }
        }
    }

    /// Discards unsent messages whose texts have been saved as drafts.
    func discard(_ returned: [ReturnedMessage]) {
        guard !returned.isEmpty else { return }
        store.update { state in state.returned.removeAll { returned.contains($0) } }
        for message in returned {
            perform(.command(.discard(key: message.key), with: message.peer))
        }
    }

    /// Restores the text of an unsent message as a draft, because its conversation has ended.
    func takeBack(_ command: ConversationStateMachine.Command, from peer: Int) {
        guard case .send(_, let text, nil, _, _) = command else { return }
        store.update { state in state.putBack(text, for: peer) }
    }

    // MARK: Preferences

    /// The drafts, the muted people and the files to send, for storage.
    var preferences: ChatPreferences {
        let state = store.state
        var preferences = ChatPreferences()
        (preferences.drafts, preferences.muted) = (state.drafts, state.muted)
        let voices = state.voices.compactMap { peer, voice in voice.file(to: peer) }
        preferences.files = state.transfers.uploads.map(\.file) + voices.sorted { $0.id < $1.id }
        // While a message is edited, the field contains that message, and the draft is set aside.
        if let chat = state.chat, chat.editing != nil { preferences.drafts[chat.person.id] = chat.draft }
        return preferences
    }
}

extension ChatsViewModel.State {
    /// Whether the message field of the open conversation is empty and used neither for editing nor for a reply.
    fileprivate var isFieldFree: Bool {
        guard let chat, chat.editing == nil, chat.reply == nil else { return false }
        return drafts[chat.person.id, default: ""].isEmpty
    }

    /// Closes the conversation, and restores the draft that was set aside while a message was edited.
    mutating func closeChat() {
        if let chat, chat.editing != nil { drafts[chat.person.id] = chat.draft }
        if let chat { _ = endRecording(of: chat.person.id, isSent: false) }
        chat = nil
        transfers.sound = nil
    }

    /// Clears the state of the current server and user, except the data to be saved, because another one follows.
    mutating func stop() {
        closeChat()
        (own, writer, people, isLoading, failure) = (nil, nil, nil, true, nil)
        (search, presence, blocked, conversations) = (MessageSearch(), [:], [], [:])
    }

    /// Prepends an unsent text to the draft for a person.
    fileprivate mutating func putBack(_ text: String, for peer: Int) {
        func joined(_ draft: String?) -> String {
            [text, draft ?? ""].filter { !$0.isEmpty }.joined(separator: "\n")
        }
        if let chat, chat.person.id == peer, chat.editing != nil {
            self.chat?.draft = joined(chat.draft)
        } else {
            drafts[peer] = joined(drafts[peer])
        }
    }
}
