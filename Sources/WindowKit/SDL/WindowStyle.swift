internal import Basics
internal import CSDL

/// How a window opens and behaves.
package enum WindowStyle: Sendable {
    case normal
    /// A window in the shape of a phone, for screens of one column.
    case portrait
    /// A small window without a frame in the lower right corner, above all others where the desktop permits it; it is
    /// moved by its upper third and resized at its edges.
    case small

    /// The distance from the edge of the screen in points.
    private static let margin = 16.0

    /// The size in SDL's units, in a screen with this room; `scale` is the number of units per point.
    func size(in room: Resolution, scale: Double) -> Resolution {
        switch self {
        case .normal: return WindowSize.usual(in: room, scale: scale)
        case .portrait: return WindowSize.portrait(in: room, scale: scale)
        case .small:
            let width = min(400 * scale, Double(room.width) / 2)
            return Resolution(width: Int(width), height: Int(width * 9 / 16))
        }
    }

    /// The place of a window of this size.
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

    /// Lets the user move and resize a window that has no frame; `scale` is the number of SDL's units per point.
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

    /// Determines what a press in a small window of this size begins.
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

    /// Whether the desktop ignores that the window is to stay above others.
    @WindowActor package var isIgnored: Bool {
        self == .small && SDL_GetCurrentVideoDriver().map { String(cString: $0) } == "wayland"
    }
}
