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

        @Test("One Esc ends no call, a second one does, in the app as in the window of a command line")
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

        @Test("A second Esc that comes late asks again, and one that is held down counts once")
        func late() async throws {
            await showCall(isManaged: true)
            escape()
            stage.now += CallScreen.questionTime + 1
            escape()
            press(SDLK_ESCAPE, isRepeat: true)
            #expect(stage.commands.isEmpty)
        }

        @Test("Esc closes what is open first: the figures, then the sheet of devices")
        func open() async throws {
            await showCall(isManaged: true)
            let screen = try #require(stage.window.stage.shownView as? CallScreen)
            screen.showsStatistics = true
            escape()
            #expect(!screen.showsStatistics && screen.asksUntil == nil)
            stage.click("call.devices")
            stage.settle()
            escape()
            stage.settle()
            #expect(!screen.choosesDevices && screen.asksUntil == nil && stage.commands.isEmpty)
        }

        @Test("While somebody calls Return answers and Esc declines", arguments: [true, false])
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

        @Test("Return that was meant for something else answers nothing")
        func hasty() async throws {
            let room = try await stage.room { $0.connection = .connected }
            stage.show(.room(room))
            room.store.update { $0.ring = RoomState.Ring(peer: "Bob") }
            stage.window.stage.touch()
            stage.window.redrawIfNeeded()
            press(SDLK_RETURN)
            #expect(stage.commands.isEmpty)
        }

        @Test("In a command line's room the first Esc asks, and the second leaves")
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
