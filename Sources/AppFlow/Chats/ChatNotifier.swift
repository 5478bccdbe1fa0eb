internal import Basics
internal import ChatCore

/// The sender of notifications about messages and calls that arrive while the window is not in front.
///
/// A notification is withdrawn when its messages have been read on any device, or when the call no longer rings.
@MainActor final class ChatNotifier {
    private let chats: ChatFlow
    private let ring: StateStore<ChatRing?>
    private let settings: SettingsViewModel
    private let isInFront: StateStore<Bool>
    private let service: any NotificationService
    private let clicked: @Sendable (ChatPerson) -> Void
    /// The numbers of unread messages, by the ID of the person; nil until the server has reported them.
    private var unread: [Int: Int]?
    private var session = 0
    /// The ID of the person whose call a notification announces; nil if there is none.
    private var ringing: Int?

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

    /// Shows and withdraws notifications, one after the other, until the task is cancelled.
    func run() async {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask { for await _ in self.chats.inbox.states { change.yield() } }
            group.addTask { for await _ in self.ring.states { change.yield() } }
            group.addTask { for await _ in self.isInFront.states { change.yield() } }
            group.addTask { await self.service.followClicks { await self.click($0) } }
            for await _ in changes {
                // A notification whose request was cancelled could not be withdrawn.
                await Task { await follow() }.value
            }
        }
        await service.withdrawAll()
    }

    private func follow() async {
        let inbox = chats.inbox.state
        if inbox.session != session {
            // The numbers belong to the previous server or user.
            (session, unread) = (inbox.session, nil)
            await service.withdrawAll()
        }
        if inbox.state.openings > 0 { await follow(inbox.state) }
        await followRing()
    }

    private func follow(_ inbox: InboxState) async {
        let before = unread
        let now = Dictionary(inbox.conversations.map { ($0.with, $0.unread) }) { first, _ in first }
        unread = now
        guard let before else { return }
        for person in before.keys.sorted() where before[person] != 0 && now[person, default: 0] == 0 {
            await service.withdraw(.messages(from: person))
        }
        // The list begins with the newest message, whose notification must be shown last.
        for conversation in inbox.conversations.reversed()
        where conversation.unread > before[conversation.with, default: 0] {
            await tell(conversation)
        }
    }

    private func tell(_ conversation: ChatConversation) async {
        let wanted = settings.store.state.settings.notifications
        let (peer, last) = (conversation.with, conversation.last)
        guard wanted != .off, !isInFront.state, !chats.store.state.muted.contains(peer) else { return }
        var notification = ChatNotification(subject: .messages(from: peer), person: person(peer))
        notification.count = conversation.unread
        // The last message may be one that the user has sent from another device.
        if wanted == .texts, let last, last.fromID == peer, !last.text.isEmpty {
            notification.text = last.media == nil ? last.text : last.text.printable()
        }
        await show(notification)
    }

    private func followRing() async {
        let ring = ring.state
        if let ringing, ringing != ring?.person.id {
            self.ringing = nil
            await service.withdraw(.call(from: ringing))
        }
        guard let ring, ringing == nil, !isInFront.state,
            settings.store.state.settings.notifications != .off
        else { return }
        ringing = ring.person.id
        await show(ChatNotification(subject: .call(from: ring.person.id), person: ring.person))
    }

    private func show(_ notification: ChatNotification) async {
        await service.show(notification, in: settings.store.state.settings.language)
    }

    private func click(_ person: Int) { clicked(self.person(person)) }

    private func person(_ id: Int) -> ChatPerson {
        chats.known(id) ?? .unknown(id, isOnline: false)
    }
}
