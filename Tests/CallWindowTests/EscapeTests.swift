import CSDL
import CallCore
import Testing

@testable import CallFlow
@testable import CallWindow

extension CallWindowTests {
    @Suite("Esc and Return")
    @WindowActor struct EscapeTests {
        private let stage: ScreenBench

        init() async throws { stage = try await ScreenBench(width: 960, height: 540) }

        private func press(_ key: SDL_KeyCode, isRepeat: Bool = false) {
            var event = SDL_Event()
            event.key.type = SDL_KEYDOWN.rawValue
            event.key.repeat = isRepeat ? 1 : 0
            event.key.keysym.sym = Int32(bitPattern: key.rawValue)
            stage.window.handleKey(event)
            stage.window.redrawIfNeeded()
        }

        private func escape() { press(SDLK_ESCAPE) }

        private func showCall(isManaged: Bool) async {
            stage.show(
                .call(
                    await stage.call { state in
                        (state.isManaged, state.heldSince) = (isManaged, .now)
                    }
                )
            )
        }

        @Test("The second Esc ends a call, in the app and in a command-line window")
        func twice() async throws {
            await showCall(isManaged: true)
            escape()
            #expect(stage.commands.isEmpty)
            escape()
            #expect(stage.commands == [.call(.hangUp)])
            await showCall(isManaged: false)
            escape()
            escape()
            #expect(stage.commands == [.call(.hangUp)])
            for await action in stage.window.actions {
                #expect(action == .hangUp)
                break
            }
        }

        @Test("A late second Esc asks again, and an Esc that is held down counts once")
        func late() async throws {
            await showCall(isManaged: true)
            escape()
            stage.now += CallScreen.questionTime + 1
            escape()
            press(SDLK_ESCAPE, isRepeat: true)
            #expect(stage.commands.isEmpty)
        }

        @Test("Esc closes the statistics or the device sheet before it can end the call")
        func open() async throws {
            await showCall(isManaged: true)
            let screen = try #require(stage.window.stage.shownView as? CallScreen)
            screen.statistics.isOpen = true
            escape()
            #expect(!screen.statistics.isOpen && screen.notices.asksUntil == nil)
            stage.click("call.devices")
            stage.settle()
            escape()
            stage.settle()
            #expect(!screen.choosesDevices && screen.notices.asksUntil == nil && stage.commands.isEmpty)
        }

        @Test("While a call rings, Return answers and Esc declines", arguments: [true, false])
        func ringing(isManaged: Bool) async throws {
            if isManaged {
                let room = try await stage.room { state in
                    state.connection = .connected
                    state.ring = RoomState.Ring(peer: "Bob")
                }
                stage.show(.room(room))
            } else {
                stage.show(.call(await stage.call("Bob", .ringing) { $0.isIncoming = true }))
            }
            stage.settle()
            press(SDLK_RETURN)
            escape()
            #expect(stage.commands == [.call(.accept), .call(.decline)])
        }

        @Test("Return does not answer a call that has just begun to ring")
        func hasty() async throws {
            let room = try await stage.room { $0.connection = .connected }
            stage.show(.room(room))
            room.store.update { $0.ring = RoomState.Ring(peer: "Bob") }
            stage.window.stage.touch()
            stage.window.redrawIfNeeded()
            press(SDLK_RETURN)
            #expect(stage.commands.isEmpty)
        }

        @Test("In a command-line room the first Esc asks and the second one leaves")
        func room() async throws {
            let room = try await stage.room { state in
                (state.isManaged, state.connection) = (false, .connected)
            }
            stage.show(.room(room))
            escape()
            let screen = try #require(stage.window.stage.shownView as? RoomScreen)
            let ui = stage.window.stage.ui
            #expect(screen.notice(ui, room.store.state)?.text == ui.strings["room.escape"])
            escape()
            for await action in stage.window.actions {
                #expect(action == .hangUp)
                break
            }
        }
    }
}
