import Basics
import CSDL
import ChatCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The keyboard in a conversation", .timeLimit(.minutes(4)))
    @WindowActor struct ConversationKeysTests {
        private let bench: ScreenBench
        private let model: ChatsViewModel
        private var ui: Interface { bench.window.screenHost.ui }

        init() async throws {
            (bench, model) = try await ScreenBench.people(width: 480, height: 854)
            model.send(.open(SampleChat.people[0]))
            model.show(SampleChat.conversation, with: 1)
            bench.settle()
        }

        private func typedKey() -> String? {
            var event = SDL_Event()
            event.key.type = SDL_KEYDOWN.rawValue
            event.key.keysym.sym = Int32(bitPattern: SDLK_f.rawValue)
            bench.window.handleKey(event)
            #expect(!bench.window.screenHost.isFullScreen)
            bench.type("f")
            bench.settle()
            return model.store.state.drafts[1]
        }

        @Test(
            "After the sheet of a message is closed, typed text goes into the input field",
            arguments: [true, false]
        )
        func message(isKey: Bool) {
            bench.tab(to: "chat.item m4")
            bench.press(.enter)
            #expect(model.store.state.chat?.selected != nil)
            bench.settle()
            if isKey { bench.press(.escape) } else { bench.click("chat.message.0") }
            #expect(model.store.state.chat?.selected == nil)
            bench.settle()
            #expect(ui.focus.focused == "chat.field")
            #expect(typedKey() == "f")
        }

        @Test("After a click outside all controls, typed text goes into the input field")
        func emptySpot() {
            bench.click(240, 70)
            bench.settle()
            #expect(ui.focus.focused == "chat.field")
            #expect(typedKey() == "f")
        }

        @Test("After a ring is declined with Esc, typed text goes into the input field")
        func ring() async throws {
            let calls = try #require(bench.shell?.chatCalls)
            async let done: Void = calls.run()
            calls.ring.update { $0 = ChatRing(person: SampleChat.people[1], room: 123_456) }
            bench.settle()
            bench.press(.escape)
            for await ring in calls.ring.states where ring == nil { break }
            bench.settle()
            #expect(ui.focus.focused == "chat.field")
            #expect(typedKey() == "f")
            await calls.finish()
            await done
        }

        @Test(
            "While a button has the focus, typed text goes into the input field, but Space presses the button"
        )
        func button() {
            model.send(.setDraft("a"))
            bench.settle()
            bench.tab(to: "chat.attach")
            bench.press(.space)
            bench.type(" ")
            #expect(model.store.state.drafts[1] == "a")
            bench.tab(to: "chat.send")
            #expect(typedKey() == "af")
            #expect(ui.focus.focused == "chat.field")
        }

        @Test("Notices are shown above the input field")
        func notice() throws {
            bench.shell?.notices.post(.noFileDialog)
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
            let field = try #require(ui.places["chat.field"])
            let toast = try #require(ui.places.first { $0.key.name.hasPrefix("toast.") })
            #expect(toast.value.bottom < field.y)
        }
    }
}
