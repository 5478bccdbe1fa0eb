import Basics
import ChatCore
import Testing

@testable import AppFlow

@Suite("The sheet about a person of the chat")
struct PersonActionTests {
    private let rig = ChatsViewModelTests.Rig()

    private func inbox(blocking blocked: Set<Int> = [], _ link: InboxState.Link = .open) -> InboxState {
        var inbox = InboxState()
        (inbox.link, inbox.isSupported, inbox.blocked) = (link, true, blocked)
        return inbox
    }

    /// Opens a conversation with Bob, and the sheet about him.
    private func open() -> ChatsViewModel {
        let model = rig.model
        rig.talk(model)
        model.show(inbox())
        model.send(.person(.show))
        _ = rig.take()
        return model
    }

    @Test("Blocking a person requires confirmation, and takes effect once the server has confirmed it")
    func block() {
        let model = open()
        model.send(.person(.block))
        #expect(rig.take() == [])
        model.send(.person(.askToBlock))
        model.send(.person(.block))
        model.send(.person(.block))
        #expect(rig.take() == [.inbox(.block(person: 2), with: 2)])
        #expect(model.store.state.chat?.sheet == .block && model.store.state.blocked.isEmpty)
        model.show(inbox(blocking: [2]))
        #expect(model.store.state.blocked == [2])
        #expect(model.store.state.chat?.sheet == nil && model.store.state.chat?.pending == nil)
        model.send(.person(.unblock))
        #expect(rig.take() == [.inbox(.unblock(person: 2), with: 2)])
        model.show(inbox())
        #expect(model.store.state.blocked.isEmpty && model.store.state.chat?.pending == nil)
    }

    @Test("If the server refuses a block, the reason is shown and the user can retry")
    func refusal() {
        let model = open()
        model.send(.person(.askToBlock))
        model.send(.person(.block))
        _ = model.didFail(.refused(code: "too_many", message: "at most 1000"))
        #expect(model.store.state.chat?.personFailure == .refused(code: "too_many", message: "at most 1000"))
        #expect(model.store.state.chat?.sheet == .block && model.store.state.chat?.failure == nil)
        model.send(.person(.block))
        #expect(rig.take().count == 2 && model.store.state.chat?.personFailure == nil)
    }

    @Test("A pending request fails when its connection is lost")
    func lost() {
        let model = open()
        model.send(.person(.askToBlock))
        model.send(.person(.block))
        model.show(inbox(.reconnecting(.notConnected)))
        #expect(model.store.state.chat?.personFailure == .notConnected)
        #expect(model.store.state.chat?.pending == nil)
    }

    @Test("A report requires a reason, and is confirmed to the user once the server has stored it")
    func report() {
        let model = open()
        model.send(.person(.askForReason))
        model.send(.person(.setReason("  ")))
        model.send(.person(.report))
        #expect(rig.take() == [])
        model.send(.person(.setReason(" spam ")))
        model.send(.person(.report))
        #expect(rig.take() == [.inbox(.report(person: 2, reason: "spam"), with: 2)])
        model.didReport(3)
        #expect(model.store.state.chat?.pending == .report)
        model.didReport(2)
        #expect(model.store.state.chat?.sheet == .reported)
    }

    @Test("The text of a message that is being edited is not stored as a draft")
    func preferences() {
        let model = open()
        model.send(.setDraft("mine"))
        model.send(.edit(ChatsViewModelTests.item("m1", isMine: true)))
        model.send(.mute(true))
        #expect(model.preferences.drafts == [2: "mine"] && model.preferences.muted == [2])
        model.send(.cancel)
        model.send(.setDraft(""))
        #expect(model.preferences.drafts.isEmpty)
    }
}
