internal import Basics
internal import ChatCore

/// The notifications about messages and calls that come while the window is not in front.
///
/// A notification goes when what it tells was read, here or on another device, or the call rings no more.
@MainActor final class ChatNotifier {
    private let chats: ChatFlow
    private let ring: StateStore<ChatRing?>
    private let settings: SettingsViewModel
    private let isInFront: StateStore<Bool>
    private let service: any NotificationService
    private let clicked: @Sendable (ChatPerson) -> Void
    /// The numbers of unread messages by person; nil before the server has told them.
    private var unread: [Int: Int]?
    private var openings = 0
    private var ringing: ChatPerson?

    init(
        _ chats: ChatFlow,
        _ ring: StateStore<ChatRing?>,
        _ settings: SettingsViewModel,
        isInFront: StateStore<Bool>,
        _ service: any NotificationService,
        clicked: @escaping @Sendable (ChatPerson) -> Void
    ) {
        (self.chats, self.ring, self.settings, self.isInFront) = (chats, ring, settings, isInFront)
        (self.service, self.clicked) = (service, clicked)
    }

    /// Shows and withdraws notifications until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { for await state in self.chats.inbox.states { await self.follow(state) } }
            group.addTask { for await ring in self.ring.states { await self.follow(ring) } }
            group.addTask {
                await self.service.followClicks { await self.click($0) }
            }
        }
        await service.withdrawAll()
    }

    private func follow(_ inbox: InboxState) async {
        // Of another server or user nothing is known.
        if inbox.openings < openings {
            unread = nil
            await service.withdrawAll()
        }
        openings = inbox.openings
        guard openings > 0 else { return }
        let before = unread
        let now = Dictionary(inbox.conversations.map { ($0.with, $0.unread) }) { first, _ in first }
        unread = now
        guard let before else { return }
        for (person, count) in before.sorted(by: { $0.key < $1.key }) where count > now[person, default: 0] {
            if now[person, default: 0] == 0, ringing?.id != person { await service.withdraw(person) }
        }
        // The last one to write is the last to be told.
        for conversation in inbox.conversations.reversed()
        where conversation.unread > before[conversation.with, default: 0] {
            await tell(conversation)
        }
    }

    private func tell(_ conversation: ChatConversation) async {
        let wanted = settings.store.state.settings.notifications
        guard wanted != .off, !isInFront.state, ringing?.id != conversation.with,
            !chats.store.state.muted.contains(conversation.with)
        else { return }
        let text = wanted == .texts ? conversation.last?.text : nil
        await show(
            person(conversation.with),
            .messages(count: conversation.unread, text: text.flatMap { $0.isEmpty ? nil : $0 })
        )
    }

    private func follow(_ ring: ChatRing?) async {
        if let ringing, ringing.id != ring?.person.id {
            self.ringing = nil
            await service.withdraw(ringing.id)
        }
        guard let ring, ringing == nil, !isInFront.state,
            settings.store.state.settings.notifications != .off
        else { return }
        ringing = ring.person
        await show(ring.person, .call)
    }

    private func show(_ person: ChatPerson, _ event: ChatNotification.Event) async {
        await service.show(
            ChatNotification(person: person, event: event),
            in: settings.store.state.settings.language
        )
    }

    private func click(_ person: Int) {
        clicked(self.person(person))
    }

    private func person(_ id: Int) -> ChatPerson {
        chats.store.state.people?.first { $0.id == id }
            ?? ChatPerson(id: id, name: "Guest \(id)", isOnline: false)
    }
}
