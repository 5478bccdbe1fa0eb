package import Basics
internal import CSDL

/// An SDL window with its renderer; SDL's video subsystem runs while the window is open.
@WindowActor package final class SDLWindow {
    package let id: UInt32
    package let renderer: OpaquePointer
    private let window: OpaquePointer
    /// The number of SDL's window units per point.
    package let unitsPerPoint: Double
    private var boundsBeforeFullScreen: SDL_Rect?
    private var isOpen = true
    private var hasHadFrame = false
    /// Whether the connection to the display is lost, in which case no call to the display would return.
    package var isLost = false

    /// Opens a window; `size` is in SDL's units, and nil selects a size that suits the screen and the style.
    package init(
        title: String,
        size: Resolution?,
        style: WindowStyle = .normal
    ) throws(WindowError) {
        try Self.start()
        DisplayLoss.prepare()
        SDL_StopTextInput()  // SDL enables it at the start, which keeps a connection to the input method
        Self.ignoreUnusedEvents()
        let scale = DesktopScale.current()
        let size = size ?? style.size(in: Self.room, scale: scale)
        let place = style.place(of: size, scale: scale)
        guard
            let window = SDL_CreateWindow(
                title,
                place.x,
                place.y,
                Int32(size.width),
                Int32(size.height),
                SDL_WINDOW_RESIZABLE.rawValue | SDL_WINDOW_ALLOW_HIGHDPI.rawValue | style.flags
            )
        else {
            let error = Self.lastError
            SDL_QuitSubSystem(SDL_INIT_VIDEO)
            throw .noWindow(error)
        }
        guard let renderer = SDL_CreateRenderer(window, -1, 0) else {
            let error = Self.lastError
            SDL_DestroyWindow(window)
            SDL_QuitSubSystem(SDL_INIT_VIDEO)
            throw .noRenderer(error)
        }
        DisplayLoss.watch(window)
        SDL_SetWindowMinimumSize(window, 160, 90)
        style.makeMovable(window, scale: scale)
        self.window = window
        self.renderer = renderer
        unitsPerPoint = scale
        id = SDL_GetWindowID(window)
    }

    /// Starts SDL's video subsystem; each call requires a later call of `SDL_QuitSubSystem`.
    static func start() throws(WindowError) {
        setHints()
        DisplayLoss.expectRefusals()
        guard SDL_InitSubSystem(SDL_INIT_VIDEO) == 0 else {
            let driver = SDL_getenv("SDL_VIDEODRIVER").map { String(cString: $0) }
            throw .noDisplay(lastError, driver: driver.flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    /// The size of the screen area that is available to windows, in SDL's units.
    private static var room: Resolution {
        var room = SDL_Rect(x: 0, y: 0, w: 1280, h: 720)
        SDL_GetDisplayUsableBounds(0, &room)
        func side(_ length: Int32) -> Int { min(max(1, Int(length)), VideoFrame.largestSide) }
        return Resolution(width: side(room.w), height: side(room.h))
    }

    isolated deinit { close() }

    /// Calls `others`, which destroys further SDL objects, and then destroys the renderer with its textures
    /// and the window.
    package func close(after others: () -> Void = {}) {
        guard isOpen else { return }
        isOpen = false
        guard !isLost else { return }
        DisplayLoss.whileClosing(window) {
            others()
            SDL_DestroyRenderer(renderer)
            SDL_DestroyWindow(window)
            SDL_QuitSubSystem(SDL_INIT_VIDEO)
        }
    }

    /// The scale in pixels per point.
    package var scale: Double {
        var (points, pixels): (Int32, Int32) = (0, 0)
        SDL_GetWindowSize(window, &points, nil)
        SDL_GetRendererOutputSize(renderer, &pixels, nil)
        return points > 0 && pixels > 0 ? Double(pixels) / Double(points) * unitsPerPoint : unitsPerPoint
    }

    package var isVisible: Bool {
        let hidden = SDL_WINDOW_MINIMIZED.rawValue | SDL_WINDOW_HIDDEN.rawValue
        return !isLost && SDL_GetWindowFlags(window) & hidden == 0
    }

    /// Whether another client of the X server has destroyed the window.
    package var isDestroyed: Bool {
        typealias Attributes = @convention(c) (OpaquePointer, UInt, UnsafeMutableRawPointer) -> Int32
        guard isOpen, !isLost, let (display, name) = ClosingDisplay.names(of: window),
            let attributes = Xlib.function("XGetWindowAttributes", as: Attributes.self)
        else { return false }
        // XWindowAttributes has 136 bytes.
        return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { answer in
            answer.baseAddress.map { attributes(display, name, $0) == 0 } ?? false
        }
    }

    package func setTitle(_ title: String) {
        guard !isLost else { return }
        SDL_SetWindowTitle(window, title)
    }

    /// Requests the user's attention until the window has the focus, or withdraws the request.
    package func flash(_ isOn: Bool) {
        guard !isLost else { return }
        SDL_FlashWindow(window, isOn ? SDL_FLASH_UNTIL_FOCUSED : SDL_FLASH_CANCEL)
    }

    package var hasFocus: Bool {
        !isLost && SDL_GetWindowFlags(window) & SDL_WINDOW_INPUT_FOCUS.rawValue != 0
    }

    /// Brings the window to the front, if the window manager permits it.
    package func raise() {
        guard !isLost else { return }
        SDL_RestoreWindow(window)
        SDL_RaiseWindow(window)
    }

    package func setIcon(_ pixels: [UInt32], side: Int) {
        var pixels = pixels
        pixels.withUnsafeMutableBytes { bytes in
            let format = SDL_PIXELFORMAT_ARGB8888.rawValue
            guard
                let surface = SDL_CreateRGBSurfaceWithFormatFrom(
                    bytes.baseAddress,
                    Int32(side),
                    Int32(side),
                    32,
                    Int32(side * 4),
                    format
                )
            else { return }
            SDL_SetWindowIcon(window, surface)
            SDL_FreeSurface(surface)
        }
    }

    package func toggleFullScreen() {
        guard !isLost else { return }
        let desktop = SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue
        let flags = SDL_GetWindowFlags(window)
        let isFull = flags & desktop == desktop
        // Without a window manager, SDL would report full-screen mode without enlarging the window, so resize
        // it first. A window manager restores the window itself, and would place it lower by its title bar.
        if !isFull, flags & SDL_WINDOW_MAXIMIZED.rawValue == 0, !hasFrame() { coverDisplay() }
        SDL_SetWindowFullscreen(window, isFull ? 0 : desktop)
        if isFull { restoreBounds() }
    }

    package var isFullScreen: Bool {
        let desktop = SDL_WINDOW_FULLSCREEN_DESKTOP.rawValue
        return SDL_GetWindowFlags(window) & desktop == desktop
    }

    /// Whether a window manager has put a frame around the window; true if this cannot be queried.
    private func hasFrame() -> Bool {
        var (top, left, bottom, right): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard SDL_GetWindowBordersSize(window, &top, &left, &bottom, &right) == 0 else { return true }
        // After full-screen mode, the frame is known only a moment later.
        hasHadFrame = hasHadFrame || top + left + bottom + right > 0
        return hasHadFrame
    }

    private func coverDisplay() {
        var (old, display) = (SDL_Rect(), SDL_Rect())
        guard SDL_GetDisplayBounds(SDL_GetWindowDisplayIndex(window), &display) == 0 else { return }
        SDL_GetWindowPosition(window, &old.x, &old.y)
        SDL_GetWindowSize(window, &old.w, &old.h)
        boundsBeforeFullScreen = old
        setBounds(display)
    }

    private func restoreBounds() {
        guard let bounds = boundsBeforeFullScreen else { return }
        boundsBeforeFullScreen = nil
        setBounds(bounds)
    }

    private func setBounds(_ bounds: SDL_Rect) {
        SDL_SetWindowPosition(window, bounds.x, bounds.y)
        SDL_SetWindowSize(window, bounds.w, bounds.h)
    }

    /// Presents the drawn window, or only `part` of it, which requires a software renderer.
    package func present(_ part: Rect?) {
        guard let part else { return SDL_RenderPresent(renderer) }
        SDL_RenderFlush(renderer)
        var rect = SDL_Rect(part)
        SDL_UpdateWindowSurfaceRects(window, &rect, 1)
    }

    /// Sets hints for SDL; environment variables of the same names take precedence.
    private static func setHints() {
        SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1")  // the program handles SIGINT and SIGTERM
        // SDL would also try a driver that takes over the console, and one that displays nothing. Wayland's
        // library prints an error on stderr if no Wayland display is set.
        let hasWayland = SDL_getenv("WAYLAND_DISPLAY") != nil
        SDL_SetHint(SDL_HINT_VIDEODRIVER, hasWayland ? "x11,wayland" : "x11")
        SDL_SetHint(SDL_HINT_APP_NAME, "callrunner")
        if !Display.hasGraphicsDevice { SDL_SetHint(SDL_HINT_RENDER_DRIVER, "software") }
        // no OpenGL for the surface of a software renderer
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0")
        // a bypass makes the whole desktop flicker
        SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0")
        SDL_SetHint(SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE, "0")  // the close event is sufficient
        SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1")  // disabled when video is shown
        SDL_SetHint("SDL_SCREENSAVER_INHIBIT_ACTIVITY_NAME", "In a call")
        SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "linear")
        // A click that gives the window the focus also presses the button under the pointer, such as one that
        // answers a ring.
        SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1")
    }

    /// Disables events that have no handler.
    ///
    /// They would only wake the thread, and the memory of dropped file names would leak. While a text field
    /// is active, `SDL_StartTextInput` enables `SDL_TEXTEDITING` again.
    private static func ignoreUnusedEvents() {
        for type in [SDL_FINGERMOTION, SDL_TEXTEDITING] + drops { SDL_EventState(type.rawValue, SDL_IGNORE) }
    }

    private static var drops: [SDL_EventType] {
        [SDL_DROPFILE, SDL_DROPTEXT, SDL_DROPBEGIN, SDL_DROPCOMPLETE]
    }

    /// Makes all windows accept dropped files and texts.
    package static func acceptDrops() {
        for type in drops { SDL_EventState(type.rawValue, SDL_ENABLE) }
    }

    static var lastError: String { String(cString: SDL_GetError()) }
}
