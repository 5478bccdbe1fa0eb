/// The reason why a window cannot be opened.
package enum WindowError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No X11 or Wayland display, or none for the driver in `SDL_VIDEODRIVER`; the first value is SDL's
    /// message.
    case noDisplay(String, driver: String? = nil)
    /// A window that the display refuses; the value is SDL's message.
    case noWindow(String)
    /// The lack of a renderer for the window; the value is SDL's message.
    case noRenderer(String)

    /// The description of the failure, in one line.
    package var message: String {
        switch self {
        case .noDisplay(let reason, _): "there is no display for the window: \(reason)"
        case .noWindow(let reason): "the window cannot be opened: \(reason)"
        case .noRenderer(let reason): "there is no renderer for the window: \(reason)"
        }
    }

    /// The advice to the user, in one line.
    package var hint: String {
        switch self {
        case .noDisplay(_, let driver?): "SDL_VIDEODRIVER names the driver “\(driver)”: unset it"
        case .noDisplay: "set DISPLAY or WAYLAND_DISPLAY to a display you may use"
        case .noWindow: "check that the display accepts new windows"
        case .noRenderer: "try SDL_RENDER_DRIVER=software"
        }
    }

    package var description: String { "\(message); \(hint)" }
}
