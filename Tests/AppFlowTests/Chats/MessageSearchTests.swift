import Basics
import ChatCore
import Testing

@testable import AppFlow

@Suite("The search for messages")
struct MessageSearchTests {
    private static let busy = ChatError.refused(
        code: "busy",
        message: "the server is still busy with other searches"
    )

    private func message(_ text: String, from: Int = 2, to: Int = 1000) -> ChatMessage {
        var message = ChatMessage(from: "Bob", to: "Ann", text: text, time: ChatTime(microseconds: 1))
        (message.id, message.fromID, message.toID) = (text, from, to)
        return message
    }

    private func opened() -> MessageSearch {
        var search = MessageSearch()
        _ = search.follow(isOpen: true)
        return search
    }

    @Test("A search requires at least two characters", arguments: [(" a ", nil), (" ab ", "ab")])
    func shortest(text: String, query: String?) {
        var search = opened()
        #expect(search.want(text) == query && search.isShown == (query != nil))
    }

    @Test("Only one search is pending at a time, and the next one uses the latest query")
    func oneAtATime() {
        var search = opened()
        #expect(search.want("te") == "te")
        #expect(search.want("tea") == nil)
        #expect(search.want("tea p") == nil && search.isSearching)
        #expect(search.receive("te", [message("ten")]) == "tea p")
        #expect(search.found == nil)
        #expect(search.receive("te", []) == nil)
        #expect(search.receive("tea p", [message("tea pot")]) == nil)
        #expect(search.found == [message("tea pot")] && search.answered == "tea p" && !search.isSearching)
    }

    @Test("Found messages remain until the next response, and are removed when the query is cleared")
    func stays() {
        var search = opened()
        _ = search.want("tea")
        _ = search.receive("tea", [message("tea")])
        #expect(search.want("teas") == "teas" && search.found == [message("tea")])
        #expect(search.want("") == nil && search.found == nil && !search.isShown)
        #expect(search.receive("teas", [message("teas")]) == nil && search.found == nil)
    }

    @Test("If the server is busy, the search is sent again after a pause")
    func pause() {
        var search = opened()
        _ = search.want("tea")
        #expect(search.fail(Self.busy) == true)
        #expect(search.resume(afterPause: false) == nil && search.want("teas") == nil && search.isSearching)
        #expect(search.resume(afterPause: true) == "teas")
        #expect(search.fail(.refused(code: "bad_query", message: "no")) == false)
        #expect(search.failure != nil && search.resume(afterPause: false) == nil)
        #expect(search.fail(Self.busy) == nil)
    }

    @Test("A search that is lost with its connection is sent again over the next connection")
    func lost() {
        var search = opened()
        #expect(search.want("tea") == "tea")
        #expect(search.follow(isOpen: false) == nil && !search.isShown)
        #expect(search.follow(isOpen: true) == "tea")
    }

    @Test("A search made without a connection is sent when the next connection opens")
    func notConnected() {
        var search = opened()
        _ = search.want("tea")
        #expect(search.fail(.notConnected) == false && search.resume(afterPause: false) == nil)
        #expect(search.failure == nil && search.follow(isOpen: true) == "tea")
    }

    @Test(
        "An unrelated failure does not end a search",
        arguments: [
            (ChatError.refused(code: "offline", message: "no"), nil),
            (.decodingFailed("timestamp"), nil),
            (.notConnected, ChatRequest.call(room: 7)),
        ]
    )
    func otherFailure(error: ChatError, request: ChatRequest?) {
        let model = searching()
        #expect(!model.didFail(error, of: request))
        model.didFind("tea", [message("tea")])
        #expect(model.store.state.search.found == [message("tea")])
    }

    @Test("A refusal that names no request ends a pending report of a person, and the search does not fail")
    func unclearFailure() {
        let model = searching()
        model.send(.open(ChatsViewModelTests.bob))
        model.store.update { $0.chat?.pending = .report }
        #expect(model.didFail(Self.busy))
        #expect(model.store.state.chat?.pending == nil && model.store.state.search.failure == nil)
    }

    /// Returns a view model that searches for “tea”.
    private func searching() -> ChatsViewModel {
        let model = ChatsViewModelTests.Rig().model
        var inbox = InboxState()
        (inbox.link, inbox.isSupported) = (.open, true)
        model.show(inbox)
        model.send(.setFilter("tea"))
        return model
    }

    @Test("If no name matches, openFirst opens the first found message, but not before the response")
    func first() {
        let model = searching()
        model.send(.openFirst)
        #expect(model.store.state.chat == nil)
        model.didFind("tea", [message("tea", from: 1000, to: 2), message("older", from: 1000, to: 3)])
        model.send(.openFirst)
        #expect(model.store.state.chat?.target == "tea")
    }

    @Test("Opening a found message opens its conversation, even with a person who is not listed")
    func opening() {
        let rig = ChatsViewModelTests.Rig()
        let model = rig.model
        model.send(.openFound(message("tea", from: 1000, to: 2)))
        #expect(rig.take() == [.open(2)])
        #expect(model.store.state.chat?.person == ChatsViewModelTests.bob)
        #expect(model.store.state.chat?.target == "tea")
        model.send(.reachedTarget)
        #expect(model.store.state.chat?.target == nil && model.store.state.chat?.marked == "tea")
        model.send(.openFound(message("old", from: 77)))
        #expect(model.store.state.chat?.person == ChatPerson(id: 77, name: "Bob"))
    }
}
