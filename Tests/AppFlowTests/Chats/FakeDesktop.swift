import AppFlow
import Basics
import ChatCore

/// The notifications of a desktop in memory.
struct FakeDesktop: NotificationService {
    struct State: Hashable, Sendable {
        var shown: [ChatNotification.Subject: ChatNotification] = [:]
        /// The number of notifications so far.
        var count = 0
    }

    let state = StateStore(State())
    private let clicks = AsyncStream.makeStream(of: Int.self)

    func show(_ notification: ChatNotification, in language: AppSettings.Language?) async {
        state.update { state in
            state.shown[notification.subject] = notification
            state.count += 1
        }
    }

    func withdraw(_ subject: ChatNotification.Subject) async { state.update { $0.shown[subject] = nil } }

    func withdrawAll() async { state.update { $0.shown = [:] } }

    func followClicks(_ handle: @escaping @Sendable (Int) async -> Void) async {
        for await person in clicks.stream { await handle(person) }
    }

    func click(_ person: Int) { clicks.continuation.yield(person) }

    /// Waits until a condition holds for the shown notifications.
    func until(_ condition: ([ChatNotification.Subject: ChatNotification]) -> Bool) async {
        for await state in state.states where condition(state.shown) { return }
    }
}
