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

    @Test("The first person that the filter leaves is opened; without a filter nobody is")
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

    @Test("A conversation is opened once, and closed")
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

    @Test("Without a known user, no conversation is opened")
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

    @Test("An answer names the message that it answers, and ends with it")
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

    @Test("A changed message is edited instead of sent, unless nothing was changed")
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

    @Test("A change that cannot be sent stays in the field")
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

    @Test("The draft waits while a message is changed")
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

    @Test("Cancelling a change empties the field, and cancelling an answer keeps it")
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

    @Test("A text that was not sent returns to an empty field, and stays as an item beside a full one")
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

    @Test("A file or an answer that was not sent stays as an item, and so does a text during a change")
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

    @Test("The draft from before a change returns when the conversation is left, however that is")
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

    @Test("A text whose conversation has ended returns to the draft")
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

    @Test("A reaction is given once and taken back by the next press")
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

    @Test("Typing is told while the text grows, and not while a message is changed")
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

    @Test("Messages that came unseen are counted until the end is in view")
    func unseen() {
        let model = rig.model
        model.send(.open(Self.bob))
        model.handle(.received(Self.item("m1", isMine: false).message), with: 2)
        model.handle(.received(Self.item("m2", isMine: false).message), with: 3)
        #expect(model.store.state.chat?.unseen == 1)
        model.send(.sawEnd(true))
        #expect(model.store.state.chat?.unseen == 0)
    }

    @Test("Drafts are kept for each person")
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
