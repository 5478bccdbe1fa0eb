/// Why a window could not be opened.
package enum WindowError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SDL found no X11 or Wayland display, or none by the driver that `SDL_VIDEODRIVER` names; the first value is
    /// what SDL says.
    case noDisplay(String, driver: String? = nil)
    /// The display refused the window.
    case noWindow(String)
    /// There is a window, but nothing that could draw in it.
    case noRenderer(String)

    /// What happened, in one line.
    package var message: String {
        switch self {
        case .noDisplay(let reason, _): "no display for the window: \(reason)"
        case .noWindow(let reason): "the window cannot be opened: \(reason)"
        case .noRenderer(let reason): "nothing can draw in the window: \(reason)"
        }
    }

    /// What to do about it, in one line.
    package var hint: String {
        switch self {
        case .noDisplay(_, let driver?): "SDL_VIDEODRIVER names the driver “\(driver)”: unset it"
        case .noDisplay: "set DISPLAY or WAYLAND_DISPLAY to a display you may use"
        case .noWindow: "check that the display takes new windows"
        case .noRenderer: "try SDL_RENDER_DRIVER=software"
        }
    }

    package var description: String { "\(message); \(hint)" }
}
