package import Basics
package import ChatCore

/// The view model of the chat: the list of people and the open conversation.
package final class ChatsViewModel: Sendable {
    package struct State: Hashable, Sendable {
        /// The user's own ID; nil until server and user are known.
        package var own: Int?
        /// The name under which others see the user; nil while `own` is nil.
        package var writer: Writer?
        /// The people, with those who are online first; nil before the first answer.
        package var people: [ChatPerson]?
        package var isLoading = false
        package var failure: ChatError?
        /// The text by which the list is filtered.
        package var filter = ""
        /// The search for messages with the text of the filter.
        package var search = MessageSearch()
        /// The unsent texts, by the ID of the person.
        package var drafts: [Int: String] = [:]
        /// The IDs of the muted people, whose messages and calls are not announced.
        package var muted: Set<Int> = []
        /// The online status of people as reported to the inbox, by their ID.
        package var presence: [Int: Bool] = [:]
        /// The IDs of the people whom the user has blocked, as reported to the inbox.
        package var blocked: Set<Int> = []
        /// The conversations of the inbox, by the ID of the other person.
        package var conversations: [Int: ChatConversation] = [:]
        package var chat: OpenChat?
        package var transfers = ChatTransfers()
        /// The voice messages being recorded or waiting to be sent, by the ID of the person.
        package var voices: [Int: ChatVoice] = [:]
        /// Whether the app can record voice messages.
        package var canRecord = false
        /// The unsent messages whose texts have become drafts; they are discarded once the drafts are saved.
        var returned: [ReturnedMessage] = []

        package init() {}

        /// The name of the screen for scripts.
        package var name: String { chat == nil ? "chats" : "chat" }

        /// The people that match the filter, with their current online status; those with unread messages are first.
        package var listed: [ChatPerson] {
            let words = filter.lowercased().trimmed
            let all = (people ?? []).map { person in
                var person = person
                person.isOnline = presence[person.id] ?? person.isOnline
                return person
            }
            let found = words.isEmpty ? all : all.filter { $0.name.lowercased().contains(words) }
            let unread = unreadPeople
            return found.filter { unread.contains($0.id) } + found.filter { !unread.contains($0.id) }
        }

        /// The number of conversations with unread messages, except muted ones.
        package var unread: Int { unreadPeople.count }

        private var unreadPeople: Set<Int> {
            Set(conversations.values.filter { $0.unread > 0 }.map(\.with)).subtracting(muted)
        }
    }

    /// An unsent message whose text has become a draft.
    struct ReturnedMessage: Hashable, Sendable {
        let key: String
        let peer: Int
    }

    /// The name under which others see the user of a chat.
    package enum Writer: Hashable, Sendable {
        /// A user who has signed in, or the guest of an original server (one without the extended protocol),
        /// by name.
        case user(String)
        /// A guest, by number.
        case guest(Int)

        init(_ own: ChatUser) { self = own.name == String(own.id) ? .guest(own.id) : .user(own.name) }
    }

    /// The open conversation.
    package struct OpenChat: Hashable, Sendable {
        package var person: ChatPerson
        package var conversation = ConversationState()
        /// The message to which the draft replies.
        package var reply: ChatItem?
        /// The user's message that is being edited.
        package var editing: ChatItem?
        /// The draft that is set aside while a message is edited.
        var draft: String?
        /// The time at which the server was last informed that the user is typing.
        var toldTyping: Timestamp?
        /// The message whose actions are shown.
        package var selected: ChatItem?
        /// The user's message whose deletion must be confirmed.
        package var deleting: ChatItem?
        package var failure: ChatError?
        /// The number of messages that arrived while older ones were shown.
        package var unseen = 0
        /// The ID of the message to scroll to once it is loaded.
        package var target: String?
        /// The ID of the message that a search has found.
        package var marked: String?
        /// The sheet about the other person; nil if it is closed.
        package var sheet: PersonSheet?
        /// The request about the other person that the server has not yet confirmed.
        package var pending: PersonRequest?
        /// The reason why a request about the other person has failed.
        package var personFailure: ChatError?

        package init(_ person: ChatPerson) { self.person = person }

        /// Whether the other person is online.
        package var isOnline: Bool { conversation.isPeerOnline ?? person.isOnline }

        package var isExtended: Bool { conversation.mode == .extended }

        /// Whether the other person can be called now.
        package var canBeCalled: Bool {
            isExtended && isOnline && !conversation.isPeerSimulated && conversation.link == .open
        }
    }

    package enum Action: Hashable, Sendable {
        case refresh
        case setFilter(String)
        case open(ChatPerson)
        /// Opens the conversation of a message that a search has found.
        case openFound(ChatMessage)
        /// Opens the first conversation that matches the filter, or else the first message that was found.
        case openFirst
        /// Reports that the message to scroll to is in view, or cannot be shown.
        case reachedTarget
        case close
        case setDraft(String)
        case send
        case retry(key: String)
        case discard(key: String)
        case loadOlder
        /// Shows the actions of a message; nil hides them.
        case select(ChatItem?)
        case react(ChatItem, ChatReaction)
        case reply(ChatItem)
        case edit(ChatItem)
        /// Asks whether to delete a message of the user; nil closes the question.
        case askToDelete(ChatItem?)
        case delete(ChatItem)
        /// Cancels the reply or the editing of a message.
        case cancel
        case mute(Bool)
        case person(PersonAction)
        case file(FileAction)
        case voice(VoiceAction)
        /// Calls the other person.
        case call
        /// Reports whether the newest message is in view.
        case sawEnd(Bool)
        case removeFailure
    }

    /// A request that the flow performs in the background.
    enum Request: Hashable, Sendable {
        case fetch
        case open(Int)
        case close
        case call(ChatPerson)
        case command(ConversationStateMachine.Command, with: Int)
        /// Sends a request through the inbox.
        case inbox(ChatRequest, with: Int?)
        case file(FileRequest)
    }

    /// The minimum interval between reports to the server that the user is typing.
    private static let typingInterval = Duration.seconds(3)

    package let store = StateStore(State())
    let perform: @Sendable (Request) -> Void
    let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp, perform: @escaping @Sendable (Request) -> Void) {
        (self.now, self.perform) = (now, perform)
    }

    package func send(_ action: Action) {
        var requests: [Request] = []
        store.update { state in handle(action, &state, &requests) }
        for request in requests { perform(request) }
    }

    private func handle(_ action: Action, _ state: inout State, _ requests: inout [Request]) {
        switch action {
        case .refresh:
            guard !state.isLoading else { return }
            (state.isLoading, state.failure) = (true, nil)
            requests.append(.fetch)
        case .setFilter(let text):
            state.filter = text
            if let query = state.search.want(text) { requests.append(.inbox(.search(query), with: nil)) }
        case .openFound(let message):
            guard let person = state.person(of: message) else { return }
            handle(.open(person), &state, &requests)
            state.chat?.target = message.id
            state.chat?.marked = message.id
        case .openFirst:
            guard !state.filter.trimmed.isEmpty else { return }
            if let person = state.listed.first {
                handle(.open(person), &state, &requests)
            } else if state.search.answered == state.search.wanted, let message = state.search.found?.first {
                handle(.openFound(message), &state, &requests)
            }
        case .open(let person):
            guard state.own != nil, state.chat?.person.id != person.id else { return }
            state.closeChat()
            state.chat = OpenChat(person)
            requests.append(.open(person.id))
        default:
            guard var chat = state.chat else { return }
            handle(action, &chat, &state, &requests)
            // The conversation may have been closed.
            if state.chat != nil { state.chat = chat }
        }
    }

    private func handle(
        _ action: Action,
        _ chat: inout OpenChat,
        _ state: inout State,
        _ requests: inout [Request]
    ) {
        let peer = chat.person.id
        func command(_ command: ConversationStateMachine.Command) {
            requests.append(.command(command, with: peer))
        }
        switch action {
        case .close:
            state.closeChat()
            requests.append(.close)
        case .setDraft(let text):
            let before = state.drafts[peer, default: ""]
            state.drafts[peer] = text.isEmpty ? nil : text
            guard text.count > before.count, chat.editing == nil else { return }
            if let told = chat.toldTyping, now() - told < Self.typingInterval { return }
            chat.toldTyping = now()
            command(.request(.typing))
        case .send: send(&chat, &state, command)
        case .retry(let key): command(.retry(key: key))
        case .discard(let key): command(.discard(key: key))
        case .loadOlder: command(.loadOlder)
        case .select(let item): chat.selected = item
        case .react(let item, let reaction):
            chat.selected = nil
            guard let id = item.message.id, let own = state.own else { return }
            let isGiven = item.message.reactions[reaction]?.contains(own) ?? false
            command(.request(.reaction(id: id, reaction, isAdded: !isGiven)))
        case .reply(let item): (chat.reply, chat.editing, chat.selected) = (item, nil, nil)
        case .edit(let item):
            if chat.editing == nil { chat.draft = state.drafts[peer] }
            (chat.reply, chat.editing, chat.selected) = (nil, item, nil)
            state.drafts[peer] = item.message.text
        case .askToDelete(let item): (chat.selected, chat.deleting) = (nil, item)
        case .delete(let item):
            (chat.selected, chat.deleting) = (nil, nil)
            if let id = item.message.id { command(.request(.delete(id: id))) }
        case .cancel:
            if chat.editing != nil { state.drafts[peer] = chat.draft }
            (chat.reply, chat.editing, chat.draft) = (nil, nil, nil)
        case .mute(let isMuted):
            if isMuted { state.muted.insert(peer) } else { state.muted.remove(peer) }
        case .person(let action): requests += handle(action, &chat, isBlocked: state.blocked.contains(peer))
        case .file(let action):
            if let request = handle(action, &chat, &state.transfers) { requests.append(.file(request)) }
        case .voice(let action):
            if let request = handle(action, &chat, &state) { requests.append(.file(request)) }
        case .call:
            let isBlocked = state.blocked.contains(peer)
            if chat.canBeCalled, !isBlocked { requests.append(.call(chat.person)) }
        case .sawEnd(let isInView): if isInView { chat.unseen = 0 }
        case .removeFailure: chat.failure = nil
        case .reachedTarget: chat.target = nil
        case .refresh, .setFilter, .open, .openFound, .openFirst: break
        }
    }

    private func send(
        _ chat: inout OpenChat,
        _ state: inout State,
        _ command: (ConversationStateMachine.Command) -> Void
    ) {
        let peer = chat.person.id
        let text = state.drafts[peer, default: ""].trimmed
        guard !text.isEmpty else { return }
        guard chat.editing == nil || chat.conversation.link == .open else {
            chat.failure = .notConnected
            return
        }
        if let id = chat.editing?.message.id {
            if text != chat.editing?.message.text { command(.request(.edit(id: id, text: text))) }
        } else {
            command(
                .send(
                    id: OutgoingMessage.newID(),
                    text: text,
                    media: nil,
                    replyTo: chat.reply?.message.id,
                    at: ChatTime(now())
                )
            )
        }
        state.drafts[peer] = chat.draft
        (chat.reply, chat.editing, chat.draft, chat.failure) = (nil, nil, nil, nil)
    }
}
