import Basics
import CSDL
import Foundation
import Testing

@testable import CallWindow
@testable import WindowKit

private let hasScreen = !(ProcessInfo.processInfo.environment["DISPLAY"] ?? "").isEmpty

extension CallWindowTests {
    /// The tests of windows on a real X server, such as that of `xvfb-run`.
    @Suite("Windows on an X server", .enabled(if: hasScreen))
    @WindowActor struct ScreenTests {
        private let window: CallWindow

        init() throws {
            SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "x11", SDL_HINT_OVERRIDE)
            SDL_SetHintWithPriority(SDL_HINT_RENDER_DRIVER, "software", SDL_HINT_OVERRIDE)
            window = try CallWindow.open(title: "test", size: Resolution(width: 480, height: 360))
        }

        @Test("A frame delivered to the window is drawn without a request to redraw")
        func video() async throws {
            SolidFrame.red.show(on: window.sink)
            #expect(await window.firstFrameShown())
            #expect(try #require(window.snapshot()).isNear(255, 0, 0, x: 240, y: 180))
            #expect(SDL_IsScreenSaverEnabled() == SDL_FALSE)
        }

        @Test("Jobs and frames wake the thread that waits for events")
        func wake() async {
            for _ in 0..<100 {
                SolidFrame.red.show(on: window.sink)
                await leaveAndReturn()
            }
            #expect(await window.firstFrameShown())
        }

        @Test("A key press reaches the window")
        func key() async {
            press(SDLK_f, in: window)
            send(SDL_WINDOWEVENT_CLOSE, to: window)
            for await request in window.closeRequests {
                #expect(request == .closeButton)
                break
            }
            #expect(window.window.isFullScreen)
        }

        @concurrent nonisolated private func leaveAndReturn() async {}
    }
}
