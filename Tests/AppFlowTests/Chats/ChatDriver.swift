import Basics
import CallTesting
import ChatCore
import LiveCore
import Testing

@testable import AppFlow

/// A running flow of the chat with a fake service.
struct ChatDriver: Sendable {
    static let bob = ChatPerson(id: 2, name: "Bob", isOnline: true)

    let chat: FakeChat
    let flow: ChatFlow
    let settings: SettingsViewModel
    let clock: any Clock<Duration>

    var model: ChatsViewModel { flow.model }
    var state: ChatsViewModel.State { flow.model.store.state }

    /// Runs `body` beside the flow, whose sounds are streams of `sounds`, in virtual time.
    static func run<Value: Sendable>(
        _ chat: FakeChat,
        sounds: (any LiveStreamService)? = nil,
        _ body: @escaping @Sendable (ChatDriver) async -> Value
    ) async throws -> Value {
        let result = await Simulation.run { clock in
            let settings = await SettingsViewModel(AppSettings())
            let flow = ChatFlow(
                services: chat,
                settings: settings,
                player: sounds.map { LivePlayer($0, options: LiveOptions(loops: false), clock: clock) },
                clock: clock,
                now: { Timestamp(milliseconds: 1_800_000_000_000) }
            )
            async let done: Void = flow.run()
            await flow.opened()
            let value = await body(ChatDriver(chat: chat, flow: flow, settings: settings, clock: clock))
            await flow.finish()
            await done
            return value
        }
        return try #require(result)
    }

    /// Waits for a state.
    @discardableResult
    func until(_ holds: (ChatsViewModel.State) -> Bool) async -> ChatsViewModel.State {
        for await state in flow.model.store.states where holds(state) { return state }
        return state
    }

    /// Opens a conversation with Bob and waits for its history.
    func talk(_ messages: [ChatMessage] = []) async -> FakeChat.Connection {
        await until { $0.people != nil }
        model.send(.open(Self.bob))
        let connection = await chat.connection(0)
        connection.greet(messages)
        await until { $0.chat?.conversation.link == .open }
        return connection
    }

    /// Connects the inbox, in which nothing was written.
    func openInbox() {
        chat.inbox.greet()
        chat.inbox.tell(.conversations([]))
    }
}
