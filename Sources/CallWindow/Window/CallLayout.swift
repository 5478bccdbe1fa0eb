internal import Basics
internal import WindowKit

/// The layout of a call's window.
struct CallLayout: Hashable, Sendable {
    /// The whole drawing area.
    let area: Rect
    /// The number of pixels per device-independent pixel, as a whole number, 1…8.
    let unit: Int

    private var shortSide: Int { min(area.width, area.height) }
    private var margin: Int { max(2, min(16 * unit, shortSide / 20)) }

    /// Creates a layout; `scale` is the number of pixels per device-independent pixel.
    init(width: Int, height: Int, scale: Double = 1) {
        area = Rect(x: 0, y: 0, width: max(1, width), height: max(1, height))
        unit = max(1, Int(min(scale, 8).rounded()))
    }

    /// Computes the rectangle of the remote video: the largest centered one with this aspect ratio.
    func remote(width: Int, height: Int) -> Rect {
        area.fitting(width: width, height: height)
    }

    /// Computes the rectangle of the local video: at the bottom right, at most a quarter of the window in
    /// width and in height.
    func local(width: Int, height: Int) -> Rect {
        let box = Rect(x: 0, y: 0, width: max(1, area.width / 4), height: max(1, area.height / 4))
        var rect = box.fitting(width: width, height: height)
        rect.x = area.width - margin - rect.width
        rect.y = area.height - margin - rect.height
        return rect
    }

    /// Computes the rectangle of a level meter: the remote one at the left edge, the local one beside the
    /// local video.
    func meter(of side: MediaSide, width: Int, height: Int) -> Rect {
        let thickness = max(1, min(6 * unit, shortSide / 60))
        switch side {
        case .remote:
            let length = max(1, area.height / 3)
            return held(Rect(x: margin, y: length, width: thickness, height: length))
        case .local:
            let tile = local(width: width, height: height)
            let left = tile.x - 2 * thickness - 2 * unit
            return held(Rect(x: left, y: tile.y, width: thickness, height: tile.height))
        }
    }

    /// Computes the rectangle of the local level meter inside the local video, along its right edge.
    func meter(inside tile: Rect) -> Rect {
        let inset = 8 * unit
        return Rect(
            x: tile.x + tile.width - inset - 4 * unit,
            y: tile.y + inset,
            width: 4 * unit,
            height: max(1, tile.height - 2 * inset)
        )
    }

    /// Moves the rectangle into the window, which is necessary only if the window is very small.
    private func held(_ rect: Rect) -> Rect {
        var rect = rect
        rect.x = max(0, min(rect.x, area.width - rect.width))
        rect.y = max(0, min(rect.y, area.height - rect.height))
        return rect
    }

    /// Computes the square of the icon that is shown instead of video.
    ///
    /// Its size is a multiple of 16 pixels, so that few steps of a resize render the icon again.
    static func emblem(in rect: Rect) -> Rect {
        let side = max(16, min(rect.width, rect.height) * 2 / 5 / 16 * 16)
        return rect.fitting(width: 1, height: 1).shrunk(to: side)
    }
}

extension Rect {
    /// Returns the square with this side length and the same center.
    fileprivate func shrunk(to side: Int) -> Rect {
        Rect(x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side)
    }
}
