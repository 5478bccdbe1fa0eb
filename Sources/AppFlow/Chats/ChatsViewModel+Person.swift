internal import Basics
internal import ChatCore

extension ChatsViewModel {
    /// The page of the sheet about the other person of a conversation.
    package enum PersonSheet: Hashable, Sendable {
        case actions
        /// Asks whether to block the person.
        case block
        /// Asks for the reason of a report.
        case report(reason: String)
        /// The server has stored the report.
        case reported
    }

    /// A request about the other person of a conversation.
    package enum PersonRequest: Hashable, Sendable {
        case block, unblock, report
    }

    package enum PersonAction: Hashable, Sendable {
        case show
        case close
        /// Asks the user to confirm that the person is to be blocked.
        case askToBlock
        case block
        case unblock
        case askForReason
        case setReason(String)
        case report
    }

    /// Handles an action of the sheet, and returns the resulting requests.
    func handle(_ action: PersonAction, _ chat: inout OpenChat, isBlocked: Bool) -> [Request] {
        let peer = chat.person.id
        switch action {
        case .show:
            (chat.sheet, chat.personFailure, chat.selected) = (.actions, nil, nil)
        case .close: (chat.sheet, chat.personFailure) = (nil, nil)
        case .askToBlock: (chat.sheet, chat.personFailure) = (.block, nil)
        case .askForReason: (chat.sheet, chat.personFailure) = (.report(reason: ""), nil)
        case .setReason(let reason): if case .report? = chat.sheet { chat.sheet = .report(reason: reason) }
        case .block:
            guard chat.sheet == .block, chat.pending == nil, !isBlocked else { break }
            (chat.pending, chat.personFailure) = (.block, nil)
            return [.inbox(.block(person: peer), with: peer)]
        case .unblock:
            guard chat.pending == nil, isBlocked else { break }
            (chat.pending, chat.personFailure, chat.failure) = (.unblock, nil, nil)
            return [.inbox(.unblock(person: peer), with: peer)]
        case .report:
            guard case .report(let reason)? = chat.sheet, !reason.isBlank, chat.pending == nil else { break }
            (chat.pending, chat.personFailure) = (.report, nil)
            return [.inbox(.report(person: peer, reason: reason.trimmed), with: peer)]
        }
        return []
    }

    /// Shows that the server has stored the report about a person.
    func didReport(_ person: Int) {
        store.update { state in
            guard state.chat?.person.id == person, state.chat?.pending == .report else { return }
            state.chat?.pending = nil
            if case .report? = state.chat?.sheet { state.chat?.sheet = .reported }
        }
    }
}

extension ChatsViewModel.OpenChat {
    /// Updates the request about the person from the inbox, which performs it.
    mutating func follow(_ inbox: InboxState) {
        let isBlocked = inbox.blocked.contains(person.id)
        switch pending {
        case .block where isBlocked: (pending, sheet) = (nil, nil)
        case .unblock where inbox.link == .open && !isBlocked: pending = nil
        case .block, .unblock, .report: if inbox.link != .open { fail(.notConnected) }
        case nil: break
        }
    }

    /// Shows the failure of the pending request about the person, if there is one.
    mutating func fail(_ error: ChatError) {
        guard pending != nil else { return }
        pending = nil
        if sheet == nil { failure = error } else { personFailure = error }
    }
}
