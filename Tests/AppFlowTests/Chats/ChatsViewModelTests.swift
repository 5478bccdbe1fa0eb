import Basics
import ChatCore
import Synchronization
import Testing

@testable import AppFlow

@Suite("The view model of the chat")
struct ChatsViewModelTests {
    /// A view model, and the requests that it makes.
    final class Rig: Sendable {
        private let requests = Mutex<[ChatsViewModel.Request]>([])

        var model: ChatsViewModel {
            let model = ChatsViewModel(now: { Timestamp(milliseconds: 0) }) { [self] request in
                requests.withLock { $0.append(request) }
            }
            model.store.update {
                ($0.own, $0.people) = (1000, [ChatsViewModelTests.bob, ChatsViewModelTests.eve])
            }
            return model
        }

        /// Opens a conversation with Bob, which is connected.
        func talk(_ model: ChatsViewModel) {
            model.send(.open(ChatsViewModelTests.bob))
            var conversation = ConversationState()
            (conversation.link, conversation.mode) = (.open, .extended)
            model.show(conversation, with: 2)
        }

        /// Returns the requests since the last call.
        func take() -> [ChatsViewModel.Request] {
            requests.withLock { requests in
                defer { requests = [] }
                return requests
            }
        }

        func commands() -> [ConversationStateMachine.Command] {
            take().compactMap { if case .command(let command, _) = $0 { command } else { nil } }
        }
    }

    static let bob = ChatPerson(id: 2, name: "Bob Stone", isOnline: true)
    static let eve = ChatPerson(id: 3, name: "Ève")

    static func item(_ id: String, isMine: Bool) -> ChatItem {
        var message = ChatMessage(from: "a", to: "b", text: "text of \(id)", time: ChatTime(microseconds: 0))
        message.id = id
        return ChatItem(key: id, message: message, isMine: isMine)
    }

    private let rig = Rig()

    @Test("The list is filtered by a part of the name")
    func filter() {
        let model = rig.model
        model.send(.setFilter(" STONE "))
        #expect(model.store.state.listed == [Self.bob])
        model.send(.setFilter("x"))
        #expect(model.store.state.listed.isEmpty)
        model.send(.setFilter(" "))
        #expect(model.store.state.listed.count == 2)
    }

    @Test("People with unread messages are listed first, unless they are muted")
    func unreadFirst() {
        let model = rig.model
        model.store.update { $0.conversations[3] = ChatConversation(with: 3, last: nil, unread: 1) }
        #expect(model.store.state.listed == [Self.eve, Self.bob])
        model.store.update { $0.muted = [3] }
        #expect(model.store.state.listed == [Self.bob, Self.eve])
    }

    @Test("openFirst opens the first person in the filtered list, if there is a filter and a match")
    func first() {
        let model = rig.model
        for filter in ["", " ", "nobody"] {
            model.send(.setFilter(filter))
            model.send(.openFirst)
        }
        #expect(model.store.state.chat == nil)
        model.send(.setFilter("stone"))
        model.send(.openFirst)
        #expect(model.store.state.chat?.person == Self.bob)
    }

    @Test("Muted conversations do not count as unread")
    func unread() {
        let model = rig.model
        model.store.update { state in
            state.conversations = [
                2: ChatConversation(with: 2, last: nil, unread: 4),
                3: ChatConversation(with: 3, last: nil, unread: 1),
                4: ChatConversation(with: 4, last: nil, unread: 0),
            ]
        }
        #expect(model.store.state.unread == 2)
        model.send(.open(Self.bob))
        model.send(.mute(true))
        #expect(model.store.state.unread == 1)
    }

    @Test("Opening or closing a conversation twice has no further effect")
    func opening() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.send(.open(Self.bob))
        #expect(rig.take() == [.open(2)])
        #expect(model.store.state.name == "chat")
        model.send(.close)
        model.send(.close)
        #expect(rig.take() == [.close])
        #expect(model.store.state.name == "chats")
    }

    @Test("No conversation is opened before the user is known")
    func nobody() {
        let model = rig.model
        model.store.update { $0.own = nil }
        model.send(.open(Self.bob))
        #expect(rig.take().isEmpty && model.store.state.chat == nil)
    }

    @Test("Blank texts are not sent")
    func blank() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.send(.setDraft(" \n "))
        _ = rig.take()
        model.send(.send)
        #expect(rig.take().isEmpty)
    }

    @Test("A reply is sent with the ID of the original message, and sending it ends the reply mode")
    func reply() throws {
        let model = rig.model
        model.send(.open(Self.bob))
        model.send(.reply(Self.item("m1", isMine: false)))
        model.send(.setDraft(" yes "))
        _ = rig.take()
        model.send(.send)
        guard case .send(_, let text, _, let replyTo, _)? = rig.commands().first else {
            Issue.record("nothing was sent")
            return
        }
        #expect(text == "yes" && replyTo == "m1")
        #expect(model.store.state.chat?.reply == nil && model.store.state.drafts.isEmpty)
    }

    @Test("Sending while a message is edited changes that message, unless the text is unchanged")
    func editing() {
        let model = rig.model
        rig.talk(model)
        model.send(.edit(Self.item("m1", isMine: true)))
        #expect(model.store.state.drafts[2] == "text of m1")
        model.send(.setDraft("better"))
        _ = rig.take()
        model.send(.send)
        #expect(rig.commands() == [.request(.edit(id: "m1", text: "better"))])
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.send)
        #expect(rig.commands().isEmpty)
        #expect(model.store.state.chat?.editing == nil && model.store.state.drafts.isEmpty)
    }

    @Test("An edited message that cannot be sent stays in the input field")
    func editingOffline() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.setDraft("better"))
        model.send(.send)
        #expect(rig.commands().isEmpty)
        #expect(model.store.state.drafts[2] == "better" && model.store.state.chat?.editing != nil)
        #expect(model.store.state.chat?.failure == .notConnected)
    }

    @Test("Ending an edit of a message, by sending or cancelling, restores the earlier draft")
    func draftDuringChange() {
        let model = rig.model
        rig.talk(model)
        model.send(.setDraft("long draft"))
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.cancel)
        #expect(model.store.state.drafts[2] == "long draft")
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.setDraft("better"))
        model.send(.send)
        #expect(model.store.state.drafts[2] == "long draft")
    }

    @Test("Cancelling an edit empties the field, and cancelling a reply leaves the text in it")
    func cancelling() {
        let model = rig.model
        rig.talk(model)
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.cancel)
        #expect(model.store.state.drafts.isEmpty && model.store.state.chat?.editing == nil)
        model.send(.setDraft("mine"))
        model.send(.reply(Self.item("m2", isMine: false)))
        model.send(.cancel)
        #expect(model.store.state.drafts[2] == "mine" && model.store.state.chat?.reply == nil)
    }

    @Test("The text of a failed message returns to the input field if it is empty, else stays in the list")
    func returning() {
        let model = rig.model
        rig.talk(model)
        _ = rig.take()
        model.handle(.notSent(key: "k1", text: "lost", .notConnected), with: 2)
        #expect(model.store.state.drafts[2] == "lost" && rig.take().isEmpty)
        // The item is discarded once the draft is kept.
        model.discard(model.store.state.returned)
        #expect(rig.commands() == [.discard(key: "k1")] && model.store.state.returned.isEmpty)
        model.handle(.notSent(key: "k2", text: "second", .notConnected), with: 2)
        #expect(model.store.state.drafts[2] == "lost" && model.store.state.returned.isEmpty)
        #expect(model.store.state.chat?.failure == .notConnected)
    }

    @Test("A failed file or reply stays in the list, and so does any failed text while a message is edited")
    func staying() {
        let model = rig.model
        rig.talk(model)
        let error = ChatError.refused(code: "blocked", message: "no")
        model.handle(.notSent(key: "k1", text: "", isTextOnly: false, error), with: 2)
        model.handle(.notSent(key: "k2", text: "a.pdf", isTextOnly: false, error), with: 2)
        #expect(model.store.state.drafts.isEmpty && model.store.state.returned.isEmpty)
        #expect(model.store.state.chat?.failure == error)
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.setDraft(""))
        model.handle(.notSent(key: "k3", text: "text", error), with: 2)
        #expect(model.store.state.drafts.isEmpty && model.store.state.returned.isEmpty)
    }

    @Test("Closing a conversation or opening another one during an edit restores the earlier draft")
    func leavingChange() {
        let model = rig.model
        for leave in [ChatsViewModel.Action.close, .open(Self.eve)] {
            rig.talk(model)
            model.send(.setDraft("long draft"))
            model.send(.edit(Self.item("m1", isMine: true)))
            model.send(.setDraft("better"))
            model.send(leave)
            #expect(model.store.state.drafts[2] == "long draft")
        }
    }

    @Test("A text that was still unsent when the conversation ended is inserted before the draft")
    func takingBack() {
        let model = rig.model
        rig.talk(model)
        model.send(.setDraft("first"))
        _ = rig.take()
        model.send(.send)
        model.send(.setDraft("next"))
        for command in rig.commands() { model.takeBack(command, from: 2) }
        #expect(model.store.state.drafts == [2: "first\nnext"])
    }

    @Test("Pressing a reaction adds it, and pressing it again removes it")
    func reactions() {
        let model = rig.model
        rig.talk(model)
        _ = rig.take()
        var item = Self.item("m1", isMine: false)
        model.send(.react(item, .love))
        item.message.reactions = [.love: [2, 1000]]
        model.send(.react(item, .love))
        #expect(
            rig.commands() == [
                .request(.reaction(id: "m1", .love, isAdded: true)),
                .request(.reaction(id: "m1", .love, isAdded: false)),
            ]
        )
    }

    @Test("Typing is reported while the text grows, at most once in three seconds, and not during an edit")
    func typing() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.send(.setDraft("a"))
        // Within three seconds it is not told again.
        model.send(.setDraft("ab"))
        model.send(.setDraft(""))
        model.send(.edit(Self.item("m1", isMine: true)))
        model.send(.setDraft("text of m1!"))
        #expect(rig.commands() == [.request(.typing)])
    }

    @Test("New messages are counted as unseen until the end of the list is in view")
    func unseen() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.handle(.received(Self.item("m1", isMine: false).message), with: 2)
        model.handle(.received(Self.item("m2", isMine: false).message), with: 3)
        #expect(model.store.state.chat?.unseen == 1)
        model.send(.sawEnd(true))
        #expect(model.store.state.chat?.unseen == 0)
    }

    @Test("Each person has a separate draft")
    func drafts() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.send(.setDraft("for Bob"))
        model.send(.open(Self.eve))
        model.send(.setDraft("for Eve"))
        model.send(.open(Self.bob))
        #expect(model.store.state.drafts == [2: "for Bob", 3: "for Eve"])
    }
}
