internal import Basics

/// The size of a window when it opens.
enum WindowSize {
    /// Computes the size in SDL's units: three quarters of the usable screen size, at most 1280 × 720 points
    /// and, if the screen is large enough, at least 640 × 480 points.
    ///
    /// On most screens the video then needs no scaling, and on small screens the window fits. `scale` is the
    /// number of SDL's units per point.
    static func usual(in room: Resolution, scale: Double) -> Resolution {
        func side(_ room: Int, _ minimum: Double, _ maximum: Double) -> Int {
            let points = Double(room) / scale
            return Int(min(points, max(minimum, min(maximum, points * 0.75))) * scale)
        }
        return Resolution(width: side(room.width, 640, 1280), height: side(room.height, 480, 720))
    }

    /// Computes the size in SDL's units: 480 × 854 points, but not more than the width, and nine tenths of the height,
    /// of the usable screen.
    ///
    /// The rest of the height is for the frame, which belongs to the window manager.
    static func portrait(in room: Resolution, scale: Double) -> Resolution {
        Resolution(
            width: min(room.width, Int(480 * scale)),
            height: min(Int(Double(room.height) * 0.9), Int(854 * scale))
        )
    }
}
