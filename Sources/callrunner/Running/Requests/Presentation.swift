internal import WindowKit

/// The presentation of a call or a stream: with or without a window.
enum Presentation: Hashable {
    /// A window; the run fails if it cannot be opened.
    case window
    /// A window if one can be opened, else no window.
    case windowIfPossible
    case headless

    /// Reads the settings `--window` and `--headless`.
    ///
    /// - Throws: `Failure` with exit code 64 if both are given, or if there is no display for a window.
    init(window: Bool, headless: Bool, _ settings: Settings) throws(Failure) {
        let hasDisplay = Display.isAvailable(in: settings.environment)
        switch try settings.choice(.window, window, .headless, headless) {
        case .headless?: self = .headless
        case .window?:
            guard hasDisplay else {
                throw .usage(
                    "--window needs a display, and none is available",
                    hint: "set DISPLAY or WAYLAND_DISPLAY, or leave --window out"
                )
            }
            self = .window
        default: self = hasDisplay ? .windowIfPossible : .headless
        }
    }
}
