/// Why a window could not be opened.
package enum WindowError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SDL found no X11 or Wayland display; the value is what SDL says.
    case noDisplay(String)
    /// The display refused the window.
    case noWindow(String)
    /// There is a window, but nothing that could draw in it.
    case noRenderer(String)

    /// What happened, in one line.
    package var message: String {
        switch self {
        case .noDisplay(let reason): "no display for the window: \(reason)"
        case .noWindow(let reason): "the window cannot be opened: \(reason)"
        case .noRenderer(let reason): "nothing can draw in the window: \(reason)"
        }
    }

    /// What to do about it, in one line.
    package var hint: String {
        switch self {
        case .noDisplay:
            "set DISPLAY or WAYLAND_DISPLAY to a display you may use, or run with --headless"
        case .noWindow: "check that the display takes new windows, or run with --headless"
        case .noRenderer: "try SDL_RENDER_DRIVER=software, or run with --headless"
        }
    }

    package var description: String { "\(message); \(hint)" }
}
