import Basics
import CSDL
import Testing

@testable import CallWindow
@testable import WindowKit

/// The tests of windows that SDL draws in memory, with the same pixels on every host.
@Suite("Call window", .serialized, .timeLimit(.minutes(4)))
struct CallWindowTests {}

extension CallWindowTests {
    /// Opens a window of 480 × 360 pixels that shows no screen.
    @WindowActor static func openWindow() throws -> CallWindow {
        SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "dummy", SDL_HINT_OVERRIDE)
        SDL_SetHintWithPriority(SDL_HINT_RENDER_DRIVER, "software", SDL_HINT_OVERRIDE)
        return try CallWindow.open(title: "test", size: Resolution(width: 480, height: 360))
    }
}

/// Presses a key as the desktop would.
@WindowActor func press(
    _ key: SDL_KeyCode,
    scancode: SDL_Scancode = SDL_SCANCODE_UNKNOWN,
    modifiers: UInt16 = 0,
    isRepeat: Bool = false,
    in window: CallWindow
) {
    var event = SDL_Event()
    event.key.type = SDL_KEYDOWN.rawValue
    event.key.windowID = window.id
    event.key.repeat = isRepeat ? 1 : 0
    event.key.keysym.sym = Int32(bitPattern: key.rawValue)
    event.key.keysym.scancode = scancode
    event.key.keysym.mod = modifiers
    #expect(SDL_PushEvent(&event) == 1)
}

@WindowActor func send(_ kind: SDL_WindowEventID, to window: CallWindow) {
    var event = SDL_Event()
    event.window.type = SDL_WINDOWEVENT.rawValue
    event.window.windowID = window.id
    event.window.event = UInt8(kind.rawValue)
    #expect(SDL_PushEvent(&event) == 1)
}

extension Snapshot {
    /// Checks whether a pixel has this color, within the rounding errors of YUV conversion.
    func isNear(_ red: UInt8, _ green: UInt8, _ blue: UInt8, x: Int, y: Int) -> Bool {
        let pixel = self[x, y]
        return [(pixel.red, red), (pixel.green, green), (pixel.blue, blue)]
            .allSatisfy { abs(Int($0) - Int($1)) <= 12 }
    }
}
