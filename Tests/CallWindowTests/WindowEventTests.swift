import CSDL
import CallCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Shortcuts and events of the window")
    @WindowActor struct WindowEventTests {
        private let bench: ScreenBench

        private var window: CallWindow { bench.window }

        init() async throws { bench = try await ScreenBench() }

        private func showCall() async { bench.show(.call(await bench.call())) }

        /// Waits until all events that were sent before have been handled.
        private func finishEvents() async {
            send(SDL_WINDOWEVENT_CLOSE, to: window)
            for await request in window.closeRequests {
                #expect(request == .closeButton)
                break
            }
        }

        @Test("The key q quits a command-line client, but in the app it only ends the call")
        func hangUp() async {
            await showCall()
            press(SDLK_q, in: window)
            #expect(await bench.next(1) == [.quit])
            bench.show(.call(await bench.call { $0.isManaged = true }))
            press(SDLK_q, in: window)
            #expect(await bench.next(1) == [.hangUp])
        }

        @Test("The keys m and v toggle the microphone and the camera")
        func toggles() async {
            await showCall()
            for key in [SDLK_m, SDLK_v, SDLK_m, SDLK_v] { press(key, in: window) }
            let expected: [CallsCommand] = [
                .setMuted(true), .setCameraOff(true), .setMuted(false), .setCameraOff(false),
            ]
            #expect(await bench.next(4) == expected)
        }

        @Test("The keys + and - change the peer's volume, on the keypad too")
        func volume() async {
            await showCall()
            let keys = [SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS, SDLK_MINUS, SDLK_KP_MINUS]
            for key in keys { press(key, in: window) }
            let louder = [true, true, true, false, false]
            #expect(await bench.next(5) == louder.map { .changeVolume(isLouder: $0) })
        }

        @Test("Repeats of a held key, and keys with a modifier, are ignored")
        func otherKeys() async {
            await showCall()
            press(SDLK_m, isRepeat: true, in: window)
            press(SDLK_q, modifiers: UInt16(KMOD_LCTRL.rawValue), in: window)
            press(SDLK_x, in: window)
            press(SDLK_v, in: window)
            #expect(await bench.next(1) == [.setCameraOff(true)])
        }

        @Test("On a layout without Latin letters, a key is identified by its position")
        func cyrillic() async {
            await showCall()
            press(SDL_KeyCode(rawValue: 0x44C), scancode: SDL_SCANCODE_M, in: window)
            #expect(await bench.next(1) == [.setMuted(true)])
        }

        @Test("The key f toggles full-screen mode")
        func fullScreen() async {
            let desktop = SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue
            for isFull in [true, false] {
                press(SDLK_f, in: window)
                await finishEvents()
                let flags = SDL_GetWindowFlags(SDL_GetWindowFromID(window.id))
                #expect((flags & desktop == desktop) == isFull)
            }
        }

        @Test("Esc leaves full-screen mode, and a held Esc key counts once")
        func escape() async {
            await showCall()
            press(SDLK_f, in: window)
            press(SDLK_ESCAPE, in: window)
            press(SDLK_ESCAPE, isRepeat: true, in: window)
            press(SDLK_m, in: window)
            #expect(await bench.next(1) == [.setMuted(true)])
            #expect(!window.window.isFullScreen)
        }

        @Test("Before a screen is shown, keys do nothing")
        func empty() async {
            for key in [SDLK_ESCAPE, SDLK_ESCAPE, SDLK_q, SDLK_m] { press(key, in: window) }
            await finishEvents()
            #expect(bench.commands.isEmpty && bench.kept.isEmpty)
        }

        @Test("The window is not redrawn while nothing changes")
        func idle() async {
            await finishEvents()  // the first redraw after opening the window is done
            let before = window.redraws
            for _ in 0..<100 {
                press(SDLK_x, in: window)
                send(SDL_WINDOWEVENT_MOVED, to: window)
            }
            await finishEvents()
            await Task.yield()
            #expect(window.redraws == before)
        }

        @Test("A burst of resize events causes at most two redraws")
        func coalescing() async {
            await finishEvents()
            let before = window.redraws
            for _ in 0..<100 { send(SDL_WINDOWEVENT_SIZE_CHANGED, to: window) }
            await finishEvents()
            #expect(window.redraws - before <= 2)
        }

        @Test("Events of a closed window are ignored")
        func strayEvents() async throws {
            let other = try CallWindowTests.openWindow()
            other.close()
            press(SDLK_f, in: other)
            send(SDL_WINDOWEVENT_CLOSE, to: other)
            await finishEvents()
            #expect(!window.window.isFullScreen)
        }
    }
}
