import CSDL
import CallCore
import Testing

@testable import CallWindow

extension CallWindowTests {
    @Suite("Keys and events of the window")
    @WindowActor struct WindowEventTests {
        private let window: CallWindow

        init() throws {
            window = try CallWindowTests.openWindow()
        }

        /// Returns the next `count` actions of the user.
        private func actions(_ count: Int) async -> [WindowAction] {
            var received: [WindowAction] = []
            for await action in window.actions {
                received.append(action)
                if received.count == count { break }
            }
            return received
        }

        @Test("The key q hangs up")
        func hangUp() async {
            press(SDLK_q, in: window)
            #expect(await actions(1) == [.hangUp])
        }

        @Test("The close button hangs up once")
        func closeButton() async {
            send(SDL_WINDOWEVENT_CLOSE, to: window)
            press(SDLK_m, in: window)
            #expect(await actions(2) == [.hangUp, .mute(true)])
        }

        @Test("The keys m and v toggle the microphone and the camera")
        func toggles() async {
            for key in [SDLK_m, SDLK_v, SDLK_m, SDLK_v] { press(key, in: window) }
            #expect(await actions(4) == [.mute(true), .camera(false), .mute(false), .camera(true)])
        }

        @Test("The keys + and - change the peer's volume, on the keypad too")
        func volume() async {
            let keys = [SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS, SDLK_MINUS, SDLK_KP_MINUS]
            for key in keys { press(key, in: window) }
            let louder = [true, true, true, false, false]
            #expect(await actions(5) == louder.map { .volume(louder: $0) })
        }

        @Test("Repeats of a held key, and keys with a modifier, are ignored")
        func otherKeys() async {
            press(SDLK_m, isRepeat: true, in: window)
            press(SDLK_q, modifiers: UInt16(KMOD_LCTRL.rawValue), in: window)
            press(SDLK_x, in: window)
            press(SDLK_v, in: window)
            #expect(await actions(1) == [.camera(false)])
        }

        @Test("On a layout without Latin letters, a key is identified by its position")
        func cyrillic() async {
            press(SDL_KeyCode(rawValue: 0x44C), scancode: SDL_SCANCODE_M, in: window)
            #expect(await actions(1) == [.mute(true)])
        }

        @Test("The key f toggles full-screen mode")
        func fullScreen() async {
            let desktop = SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue
            for isFull in [true, false] {
                press(SDLK_f, in: window)
                press(SDLK_m, in: window)
                _ = await actions(1)
                let flags = SDL_GetWindowFlags(SDL_GetWindowFromID(window.id))
                #expect((flags & desktop == desktop) == isFull)
            }
        }

        @Test("Esc leaves full-screen mode, and otherwise does nothing before a screen is shown")
        func escape() async {
            press(SDLK_f, in: window)
            press(SDLK_ESCAPE, in: window)
            press(SDLK_ESCAPE, isRepeat: true, in: window)
            press(SDLK_m, in: window)
            #expect(await actions(1) == [.mute(true)])
            #expect(!window.window.isFullScreen)
            press(SDLK_ESCAPE, in: window)
            press(SDLK_m, in: window)
            #expect(await actions(1) == [.mute(false)])
        }

        @Test("The window is not redrawn while nothing changes")
        func idle() async {
            press(SDLK_m, in: window)
            _ = await actions(1)  // the first redraw after opening the window is done
            let before = window.redraws
            for _ in 0..<100 {
                press(SDLK_x, in: window)
                send(SDL_WINDOWEVENT_MOVED, to: window)
            }
            press(SDLK_q, in: window)
            _ = await actions(1)
            await Task.yield()
            #expect(window.redraws == before)
        }

        @Test("A burst of resize events causes at most two redraws")
        func coalescing() async {
            press(SDLK_m, in: window)
            _ = await actions(1)
            let before = window.redraws
            for _ in 0..<100 { send(SDL_WINDOWEVENT_SIZE_CHANGED, to: window) }
            press(SDLK_q, in: window)
            _ = await actions(1)
            #expect(window.redraws - before <= 2)
        }

        @Test("Events of a closed window are ignored")
        func strayEvents() async throws {
            let other = try CallWindowTests.openWindow()
            other.close()
            press(SDLK_q, in: other)
            send(SDL_WINDOWEVENT_CLOSE, to: other)
            press(SDLK_m, in: window)
            #expect(await actions(1) == [.mute(true)])
        }
    }
}
