internal import CSDL
internal import Glibc
internal import Synchronization

/// The displays and graphics devices of the environment.
package enum Display {
    /// Checks whether the environment names an X11 or Wayland display, or a video driver of SDL.
    package static func isAvailable(in environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"].contains { name in
            environment[name].map { !$0.isEmpty } ?? false
        }
    }

    /// Whether the connection to a window's display has been lost.
    ///
    /// A thread then stays inside Xlib forever and holds locks. `exit` would block, because functions that it
    /// calls wait for these locks.
    package static var isLost: Bool { loss.load(ordering: .relaxed) }

    static func noteLoss() { loss.store(true, ordering: .relaxed) }

    private static let loss = Atomic(false)

    /// Returns the reason why no window can be opened; nil if one can be opened.
    ///
    /// It does not show a window. If the display does not respond, it waits for the display.
    @WindowActor package static func obstacle() -> WindowError? {
        do throws(WindowError) {
            try SDLWindow.start()
            SDL_QuitSubSystem(SDL_INIT_VIDEO)
            return nil
        } catch { return error }
    }

    /// Whether there is a graphics device, so that drawing need not use the CPU.
    ///
    /// Without one, OpenGL would be emulated, which takes 2.5 times the CPU time of SDL's own software
    /// renderer, and 80 MB more memory.
    static let hasGraphicsDevice = graphicsDevices.contains { access($0, F_OK) == 0 }

    private static let graphicsDevices: [String] = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"]
}
