internal import Basics
package import ChatCore

extension ChatsViewModel {
    /// Asks the server for the messages with words, if there are any.
    func search(_ query: String?) {
        if let query { perform(.inbox(.search(query), with: nil)) }
    }

    /// Shows what the server has found.
    func didFind(_ query: String, _ messages: [ChatMessage]) {
        var next: String?
        store.update { state in next = state.search.receive(query, messages) }
        search(next)
    }

    /// Shows why a request of the inbox has failed; returns whether a search is to be made again after a pause.
    func didFail(_ error: ChatError) -> Bool {
        var (isPaused, next) = (false, String?.none)
        store.update { state in
            if state.chat?.pending == nil || error.concernsSearch, let pause = state.search.fail(error) {
                isPaused = pause
                next = state.search.resume(afterPause: false)
            } else {
                state.chat?.fail(error)
            }
        }
        search(next)
        return isPaused
    }

    /// Makes the search that had to wait.
    func resumeSearch() {
        var next: String?
        store.update { state in next = state.search.resume(afterPause: true) }
        search(next)
    }
}

extension ChatsViewModel.State {
    /// Returns the other person of a message.
    fileprivate func otherPerson(_ message: ChatMessage) -> (id: Int, name: String)? {
        guard let own, let sender = message.fromID, let recipient = message.toID else { return nil }
        return sender == own ? (recipient, message.to) : (sender, message.from)
    }

    /// Returns the person in whose conversation a message is.
    package func person(of message: ChatMessage) -> ChatPerson? {
        guard let (id, name) = otherPerson(message) else { return nil }
        return people?.first { $0.id == id } ?? ChatPerson(id: id, name: name)
    }
}

extension ChatError {
    /// Whether only a search is refused for such a reason.
    fileprivate var concernsSearch: Bool {
        guard case .refused(let code, _) = self else { return false }
        return ["busy", "bad_query", "too_fast"].contains(code)
    }
}
