internal import Basics
package import ChatCore

extension ChatsViewModel {
    /// Sends a search query to the server, unless it is nil.
    func search(_ query: String?) {
        if let query { perform(.inbox(.search(query), with: nil)) }
    }

    /// Shows the results of a search.
    func didFind(_ query: String, _ messages: [ChatMessage]) {
        var next: String?
        store.update { state in next = state.search.receive(query, messages) }
        search(next)
    }

    /// Handles the failure of a request of the inbox; `request` is nil if the server did not name it.
    ///
    /// - Returns: Whether to repeat the search after a pause.
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

    /// Sends the search that was delayed, if any.
    func resumeSearch() {
        var next: String?
        store.update { state in next = state.search.resume(afterPause: true) }
        search(next)
    }
}

extension ChatsViewModel.State {
    /// Returns the other participant of a message's conversation.
    fileprivate func otherPerson(_ message: ChatMessage) -> (id: Int, name: String)? {
        guard let own, let sender = message.fromID, let recipient = message.toID else { return nil }
        return sender == own ? (recipient, message.to) : (sender, message.from)
    }

    /// Returns the person to whose conversation a message belongs.
    package func person(of message: ChatMessage) -> ChatPerson? {
        guard let (id, name) = otherPerson(message) else { return nil }
        return people?.first { $0.id == id } ?? ChatPerson(id: id, name: name)
    }
}

extension ChatError {
    /// The code of a refusal.
    private var code: String? { if case .refused(let code, _) = self { code } else { nil } }

    /// Whether a search may have failed; `request` is the failed request, if known.
    ///
    /// `isPending` is true while a request about a person awaits its answer.
    fileprivate func concernsSearch(_ request: ChatRequest?, beside isPending: Bool) -> Bool {
        if let request {
            guard case .search = request else { return false }
            return true
        }
        switch code {
        case nil, "offline": return false
        // The server does not say which request it refused; repeating a search does no harm.
        case "bad_query", "busy", "too_fast": return true
        default: return !isPending
        }
    }

    /// Whether a request about a person may have failed; `request` is the failed request, if known.
    fileprivate func concernsPerson(_ request: ChatRequest?) -> Bool {
        switch request {
        case .block, .unblock, .report: true
        case nil: !["offline", "bad_query", nil].contains(code)
        default: false
        }
    }
}
