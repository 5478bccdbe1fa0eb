internal import CSDL
internal import Glibc
internal import Synchronization

/// What the surroundings say about screens and graphics.
package enum Display {
    /// Whether the environment names an X11 or Wayland display, or a video driver of SDL.
    package static func isAvailable(in environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"].contains { name in
            environment[name].map { !$0.isEmpty } ?? false
        }
    }

    /// Whether a window's display has gone; a thread then stays inside its library for good, with locks that what
    /// runs at `exit` would wait for.
    package static var isLost: Bool { loss.load(ordering: .relaxed) }

    static func noteLoss() { loss.store(true, ordering: .relaxed) }

    private static let loss = Atomic(false)

    /// What keeps a window from the display, if anything; no window is shown, and a display that does not answer
    /// makes this wait for it.
    @WindowActor package static func obstacle() -> WindowError? {
        do throws(WindowError) {
            try SDLWindow.start()
            SDL_QuitSubSystem(SDL_INIT_VIDEO)
            return nil
        } catch { return error }
    }

    /// Whether something other than the processor may draw.
    ///
    /// Where nothing does, OpenGL is emulated at 2.5 times the processor time of SDL's own software renderer
    /// and 80 MB more memory.
    static let hasGraphicsDevice = graphicsDevices.contains { access($0, F_OK) == 0 }

    private static let graphicsDevices: [String] = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"]
}
