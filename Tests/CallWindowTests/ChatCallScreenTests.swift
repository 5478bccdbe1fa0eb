import Basics
import CSDL
import CallCore
import ChatCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Calls from conversations on the screens", .timeLimit(.minutes(4)))
    @WindowActor struct ChatCallScreenTests {
        private let bench: ScreenBench
        private let shell: AppShell
        private let chats: ChatFlow
        private let calls: ChatCalls

        init() async throws {
            bench = try await ScreenBench(hasBar: true, hasChat: true)
            shell = try #require(bench.shell)
            (chats, calls) = (try #require(shell.chats), try #require(shell.chatCalls))
        }

        private var ui: Interface { bench.window.screenHost.ui }

        private func talk() {
            chats.model.store.update { ($0.people, $0.own) = (SampleChat.people, SampleChat.own) }
            chats.model.send(.open(SampleChat.people[0]))
            chats.model.show(SampleChat.conversation, with: 1)
            bench.show(.chats(chats.model))
        }

        @Test("The call button calls the person, and is hidden while the person is offline")
        func button() async throws {
            talk()
            async let done: Void = chats.run()
            bench.click("chat.call")
            var events = chats.calls.stream.makeAsyncIterator()
            #expect(await events.next() == .wanted(SampleChat.people[0]))
            chats.model.store.update { $0.chat?.conversation.isPeerOnline = false }
            bench.settle()
            #expect(ui.places["chat.call"] == nil)
            await chats.finish()
            await done
        }

        @Test("The call button is hidden in the conversation with a blocked person")
        func blocked() {
            talk()
            #expect(ui.places["chat.call"] != nil)
            chats.model.store.update { $0.blocked = [1] }
            bench.settle()
            #expect(ui.places["chat.call"] == nil)
        }

        @Test("A call rings on the chats, settings and calls screens, and the window title names the caller")
        func ring() async throws {
            talk()
            async let done: Void = calls.run()
            for screen in [
                Screen.chats(chats.model), .settings(bench.settings), .calls(shell.calls.currentScreen),
            ] {
                bench.show(screen)
                #expect(ui.places["ring.accept"] == nil)
                calls.ring.update { $0 = ChatRing(person: SampleChat.people[1], room: 7) }
                bench.settle()
                bench.window.showTitle()
                let title = String(cString: SDL_GetWindowTitle(SDL_GetWindowFromID(bench.window.id)))
                #expect(title == "Tobias Lindqvist is calling you · callrunner")
                #expect(ui.places["ring.accept"] != nil)
                bench.press(.escape)
                for await ring in calls.ring.states where ring == nil { break }
                bench.settle()
            }
            #expect(chats.model.store.state.chat != nil, "Esc has also closed the conversation")
            await calls.finish()
            await done
        }

        @Test(
            "A chat call that rings over a room shows only its own sheet, and Esc declines only that call",
            arguments: [true, false]
        )
        func room(alsoRings: Bool) async throws {
            async let done: Void = calls.run()
            let room = try await bench.room { state in
                if alsoRings { state.ring = RoomState.Ring(peer: "Bob") }
            }
            bench.show(.calls(.room(room)))
            calls.ring.update { $0 = ChatRing(person: SampleChat.people[1], room: 5_000_000_000_700_007) }
            bench.settle()
            #expect(ui.places["ring.mute"] != nil)
            bench.press(.escape)
            for await ring in calls.ring.states where ring == nil { break }
            #expect(bench.commands.isEmpty)
            await calls.finish()
            await done
        }

        @Test(
            "A key pressed while a message is typed neither answers nor declines a call",
            arguments: [InputKey.enter, .escape]
        )
        func typing(key: InputKey) async throws {
            talk()
            async let done: Void = calls.run()
            bench.click("chat.field")
            bench.settle()
            bench.type("Hi")
            #expect(ui.typedInto != nil)
            calls.ring.update { $0 = ChatRing(person: SampleChat.people[1], room: 5_000_000_000_700_007) }
            func wait(_ time: Double) {
                bench.now += time
                bench.window.screenHost.touch()
                bench.window.redrawIfNeeded()
            }
            wait(0.01)
            for _ in 0..<3 {
                wait(1.4)
                bench.press(key)
            }
            // It would be ignored after an answer or a decline.
            chats.calls.continuation.yield(.rang(room: 5_000_000_000_700_008, from: SampleChat.people[1]))
            for await ring in calls.ring.states where ring?.room == 5_000_000_000_700_008 { break }
            wait(1.6)
            bench.press(key)
            for await ring in calls.ring.states where ring == nil { break }
            await calls.finish()
            await done
        }
    }
}
