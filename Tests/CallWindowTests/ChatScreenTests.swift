import Basics
import ChatCore
import LiveCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The screen of a conversation", .timeLimit(.minutes(1)))
    @WindowActor struct ChatScreenTests {
        /// A conversation that is open in a window of 480 by 854 points.
        private func talk() async throws -> (bench: ScreenBench, model: ChatsViewModel) {
            let bench = try await ScreenBench(
                width: 480,
                height: 854,
                hasBar: true,
                hasAccount: true,
                hasChat: true,
                player: LivePlayer(NoStreams())
            )
            let model = try #require(bench.shell?.chats).model
            model.store.update { ($0.people, $0.own) = (SampleChat.people, SampleChat.own) }
            bench.show(.chats(model))
            model.send(.open(SampleChat.people[0]))
            model.show(SampleChat.conversation, with: 1)
            bench.settle()
            return (bench, model)
        }

        @Test("A click on the name opens the sheet about the person, and Esc closes it")
        func person() async throws {
            let (bench, model) = try await talk()
            bench.click(200, 30)
            #expect(model.store.state.chat?.sheet == .actions)
            bench.settle()
            bench.press(.escape)
            #expect(model.store.state.chat?.sheet == nil && model.store.state.chat != nil)
        }

        @Test("Nothing can be written to a blocked person, who can be unblocked there")
        func blocked() async throws {
            let (bench, model) = try await talk()
            var inbox = InboxState()
            (inbox.link, inbox.blocked) = (.open, [1])
            model.show(inbox)
            bench.settle()
            bench.type("hello")
            #expect(model.store.state.drafts.isEmpty)
            bench.tab(to: "chat.blocked")
            bench.press(.enter)
            #expect(model.store.state.chat?.pending == .unblock)
        }
    }
}
