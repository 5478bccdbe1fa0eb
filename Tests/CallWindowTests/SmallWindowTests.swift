import CSDL
import Testing

@testable import WindowKit

@Suite("The small window")
struct SmallWindowTests {
    @Test(
        "In the small window, edges resize it, the upper third moves it, and presses below reach the controls",
        arguments: [
            (0, 0, SDL_HITTEST_RESIZE_TOPLEFT), (399, 0, SDL_HITTEST_RESIZE_TOPRIGHT),
            (200, 2, SDL_HITTEST_RESIZE_TOP),
            (0, 224, SDL_HITTEST_RESIZE_BOTTOMLEFT), (399, 224, SDL_HITTEST_RESIZE_BOTTOMRIGHT),
            (200, 224, SDL_HITTEST_RESIZE_BOTTOM), (0, 100, SDL_HITTEST_RESIZE_LEFT),
            (399, 100, SDL_HITTEST_RESIZE_RIGHT), (200, 40, SDL_HITTEST_DRAGGABLE),
            (200, 175, SDL_HITTEST_NORMAL),
            (200, 110, SDL_HITTEST_NORMAL),
        ] as [(Int32, Int32, SDL_HitTestResult)]
    )
    func presses(x: Int32, y: Int32, effect: SDL_HitTestResult) {
        #expect(WindowStyle.effect(ofPressAt: SDL_Point(x: x, y: y), width: 400, height: 225) == effect)
    }
}
