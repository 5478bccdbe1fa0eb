import Testing
import WindowKit

@Suite("Display")
struct DisplayTests {
    @Test(
        "A display is available if the environment names one",
        arguments: [
            ([:], false), (["DISPLAY": ""], false), (["HOME": "/root"], false), (["DISPLAY": ":0"], true),
            (["WAYLAND_DISPLAY": "wayland-0"], true), (["SDL_VIDEODRIVER": "dummy"], true),
        ] as [([String: String], Bool)]
    )
    func availability(environment: [String: String], isAvailable: Bool) {
        #expect(Display.isAvailable(in: environment) == isAvailable)
    }
}
