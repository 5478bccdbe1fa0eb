internal import CallCore

/// How large a window is when it opens.
enum WindowSize {
    /// In SDL's units: three quarters of the screen's free area, as large as a usual picture at most.
    ///
    /// So on most screens the picture need not be scaled, and on small ones nothing is cut off. `scale` is how many
    /// units the desktop wants for a point.
    static func usual(in room: Resolution, scale: Double) -> Resolution {
        func side(_ room: Int, _ least: Double, _ most: Double) -> Int {
            let points = Double(room) / scale
            return Int(min(points, max(least, min(most, points * 0.75))) * scale)
        }
        return Resolution(width: side(room.width, 640, 1280), height: side(room.height, 480, 720))
    }
}
