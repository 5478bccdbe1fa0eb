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

    /// Shows why a request of the inbox has failed, which the server does not name; returns whether a search is to be
    /// made again after a pause.
    func didFail(_ error: ChatError, of request: ChatRequest? = nil) -> Bool {
        var (isPaused, next) = (false, String?.none)
        store.update { state in
            let isPending = state.chat?.pending != nil
            if error.concernsSearch(request, beside: isPending), let pause = state.search.fail(error) {
                isPaused = pause
                next = state.search.resume(afterPause: false)
            }
            if error.concernsPerson(request) { state.chat?.fail(error) }
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
    /// The code of a refusal.
    private var code: String? { if case .refused(let code, _) = self { code } else { nil } }

    /// Whether a search may have failed, as far as the request is known, and beside a request about a person.
    fileprivate func concernsSearch(_ request: ChatRequest?, beside isPending: Bool) -> Bool {
        if let request {
            guard case .search = request else { return false }
            return true
        }
        switch code {
        case nil, "offline": return false
        // Nobody knows which request came too early. A search is made again without harm.
        case "bad_query", "busy", "too_fast": return true
        default: return !isPending
        }
    }

    /// Whether a request about a person may have failed, as far as the request is known.
    fileprivate func concernsPerson(_ request: ChatRequest?) -> Bool {
        switch request {
        case .block, .unblock, .report: true
        case nil: !["offline", "bad_query", nil].contains(code)
        default: false
        }
    }
}
