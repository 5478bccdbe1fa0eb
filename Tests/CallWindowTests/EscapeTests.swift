import Basics
import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("The Esc and Return keys")
    @WindowActor struct EscapeTests {
        private let bench: ScreenBench

        init() async throws { bench = try await ScreenBench(width: 960, height: 540) }

        private func press(_ key: SDL_KeyCode, isRepeat: Bool = false) {
            var event = SDL_Event()
            event.key.type = SDL_KEYDOWN.rawValue
            event.key.repeat = isRepeat ? 1 : 0
            event.key.keysym.sym = Int32(bitPattern: key.rawValue)
            bench.window.handleKey(event)
            bench.window.redrawIfNeeded()
        }

        private func escape() { press(SDLK_ESCAPE) }

        private func showCall(isManaged: Bool) async {
            bench.show(
                .call(
                    await bench.call { state in
                        (state.isManaged, state.heldSince) = (isManaged, .now)
                    }
                )
            )
        }

        @Test("Pressing Esc twice ends a call, in the app and in the window of a command-line client")
        func twice() async throws {
            await showCall(isManaged: true)
            escape()
            #expect(bench.commands.isEmpty)
            escape()
            #expect(bench.commands == [.call(.hangUp)])
            await showCall(isManaged: false)
            escape()
            escape()
            #expect(bench.commands == [.hangUp, .quit])
        }

        @Test("A late second Esc only asks for confirmation again, and a held Esc key counts once")
        func late() async throws {
            await showCall(isManaged: true)
            escape()
            bench.now += CallScreen.questionTime + 1
            escape()
            press(SDLK_ESCAPE, isRepeat: true)
            #expect(bench.commands.isEmpty)
        }

        @Test("If the statistics or the device sheet are open, Esc closes them and does not end the call")
        func open() async throws {
            await showCall(isManaged: true)
            let screen = try #require(bench.window.screenHost.shownView as? CallScreen)
            screen.statistics.isOpen = true
            escape()
            #expect(!screen.statistics.isOpen && screen.notices.asksUntil == nil)
            bench.click("call.devices")
            bench.settle()
            escape()
            bench.settle()
            #expect(!screen.choosesDevices && screen.notices.asksUntil == nil && bench.commands.isEmpty)
        }

        @Test("While a call rings, Return answers and Esc declines", arguments: [true, false])
        func ringing(isManaged: Bool) async throws {
            if isManaged {
                let room = try await bench.room { state in
                    state.connection = .connected
                    state.ring = RoomState.Ring(peer: "Bob")
                }
                bench.show(.room(room))
            } else {
                bench.show(.call(await bench.call("Bob", .ringing) { $0.isIncoming = true }))
            }
            bench.settle()
            press(SDLK_RETURN)
            escape()
            #expect(bench.commands == [.call(.accept), .call(.decline)])
        }

        @Test("Return does not answer a call that has just begun to ring")
        func hasty() async throws {
            let room = try await bench.room { $0.connection = .connected }
            bench.show(.room(room))
            room.store.update { $0.ring = RoomState.Ring(peer: "Bob") }
            bench.window.screenHost.touch()
            bench.window.redrawIfNeeded()
            press(SDLK_RETURN)
            #expect(bench.commands.isEmpty)
        }

        @Test("In a command-line client's room, the first Esc asks for confirmation, and the second leaves")
        func room() async throws {
            let room = try await bench.room { state in
                (state.isManaged, state.connection) = (false, .connected)
            }
            bench.show(.room(room))
            escape()
            let screen = try #require(bench.window.screenHost.shownView as? RoomScreen)
            let ui = bench.window.screenHost.ui
            #expect(screen.notice(ui, room.store.state)?.text == ui.strings["room.escape"])
            #expect(bench.commands.isEmpty)
            escape()
            #expect(bench.commands == [.quit])
        }
    }
}
