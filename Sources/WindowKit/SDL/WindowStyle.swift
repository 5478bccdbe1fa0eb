internal import Basics
internal import CSDL

/// The style of a window, which determines its initial size and position, and its behavior.
package enum WindowStyle: Sendable {
    case normal
    /// A window with the aspect ratio of a phone, for screens with one column.
    case portrait
    /// A small borderless window in the lower right corner, above all other windows if the desktop permits it.
    ///
    /// It is moved by its upper third and resized at its edges.
    case small

    /// The distance of a small window from the edges of the screen, in points.
    private static let margin = 16.0

    /// Computes the size of the window in SDL's units; `room` is the usable screen size, `scale` the number of units
    /// per point.
    func size(in room: Resolution, scale: Double) -> Resolution {
        switch self {
        case .normal: return WindowSize.usual(in: room, scale: scale)
        case .portrait: return WindowSize.portrait(in: room, scale: scale)
        case .small:
            let width = min(400 * scale, Double(room.width) / 2)
            return Resolution(width: Int(width), height: Int(width * 9 / 16))
        }
    }

    /// Computes the position of a window of this size.
    func place(of size: Resolution, scale: Double) -> (x: Int32, y: Int32) {
        let center = callrunner_window_position_centered()
        var room = SDL_Rect()
        guard self == .small, SDL_GetDisplayUsableBounds(0, &room) == 0 else { return (center, center) }
        let margin = Int32(Self.margin * scale)
        return (
            room.x + room.w - Int32(size.width) - margin, room.y + room.h - Int32(size.height) - margin
        )
    }

    var flags: UInt32 {
        switch self {
        case .normal, .portrait: 0
        case .small:
            SDL_WINDOW_ALWAYS_ON_TOP.rawValue | SDL_WINDOW_BORDERLESS.rawValue
                | SDL_WINDOW_SKIP_TASKBAR.rawValue
        }
    }

    /// Makes a borderless window movable and resizable; `scale` is the number of SDL's units per point.
    func makeMovable(_ window: OpaquePointer, scale: Double) {
        guard self == .small else { return }
        SDL_SetWindowMinimumSize(window, Int32(240 * scale), Int32(135 * scale))
        SDL_SetWindowHitTest(
            window,
            { window, point, _ in
                guard let window, let point = point?.pointee else { return SDL_HITTEST_NORMAL }
                let isFull = SDL_GetWindowFlags(window) & SDL_WINDOW_FULLSCREEN.rawValue != 0
                var (width, height): (Int32, Int32) = (0, 0)
                SDL_GetWindowSize(window, &width, &height)
                return isFull
                    ? SDL_HITTEST_NORMAL : WindowStyle.effect(ofPressAt: point, width: width, height: height)
            },
            nil
        )
    }

    /// Determines whether a press in a small window of this size moves it, resizes it, or is passed to its controls.
    static func effect(ofPressAt point: SDL_Point, width: Int32, height: Int32) -> SDL_HitTestResult {
        let edge = max(6, height / 28)
        let (isLeft, isRight) = (point.x < edge, point.x >= width - edge)
        let (isTop, isBottom) = (point.y < edge, point.y >= height - edge)
        return switch (isTop, isBottom, isLeft, isRight) {
        case (true, _, true, _): SDL_HITTEST_RESIZE_TOPLEFT
        case (true, _, _, true): SDL_HITTEST_RESIZE_TOPRIGHT
        case (_, true, true, _): SDL_HITTEST_RESIZE_BOTTOMLEFT
        case (_, true, _, true): SDL_HITTEST_RESIZE_BOTTOMRIGHT
        case (true, _, _, _): SDL_HITTEST_RESIZE_TOP
        case (_, true, _, _): SDL_HITTEST_RESIZE_BOTTOM
        case (_, _, true, _): SDL_HITTEST_RESIZE_LEFT
        case (_, _, _, true): SDL_HITTEST_RESIZE_RIGHT
        // The controls are below.
        default: point.y < height / 3 ? SDL_HITTEST_DRAGGABLE : SDL_HITTEST_NORMAL
        }
    }

    /// Whether the desktop ignores the request to keep the window above others.
    @WindowActor package var isIgnored: Bool {
        self == .small && SDL_GetCurrentVideoDriver().map { String(cString: $0) } == "wayland"
    }
}
