internal import CallCore

/// Where the parts of a call's window stand.
struct CallLayout: Hashable, Sendable {
    /// The whole drawing area.
    let area: Rect
    /// One device-independent pixel, at least 1.
    let unit: Int

    private var shortSide: Int { min(area.width, area.height) }
    private var margin: Int { max(2, min(16 * unit, shortSide / 20)) }

    /// `scale` is the number of pixels to a device-independent one.
    init(width: Int, height: Int, scale: Double = 1) {
        area = Rect(x: 0, y: 0, width: max(1, width), height: max(1, height))
        unit = max(1, Int(min(scale, 8).rounded()))
    }

    /// The remote picture: as large as its proportions allow, bars on two sides.
    func remote(width: Int, height: Int) -> Rect {
        area.fitting(width: width, height: height)
    }

    /// The local picture: within a quarter of the window, in the corner at the bottom right.
    func local(width: Int, height: Int) -> Rect {
        let box = Rect(x: 0, y: 0, width: max(1, area.width / 4), height: max(1, area.height / 4))
        var rect = box.fitting(width: width, height: height)
        rect.x = area.width - margin - rect.width
        rect.y = area.height - margin - rect.height
        return rect
    }

    /// The mark of a muted microphone or a closed camera: a row from the corner at the bottom left.
    func badge(at index: Int) -> Rect {
        let side = max(12, min(40 * unit, shortSide / 8))
        return Rect(
            x: margin + index * (side + side / 4),
            y: area.height - margin - side,
            width: side,
            height: side
        )
    }

    /// The meter of a voice: the peer's in the middle of the left edge, our own beside the local picture.
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

    /// The meter of our own voice in our own picture, along its right edge.
    func meter(inside tile: Rect) -> Rect {
        let inset = 8 * unit
        return Rect(
            x: tile.x + tile.width - inset - 4 * unit,
            y: tile.y + inset,
            width: 4 * unit,
            height: max(1, tile.height - 2 * inset)
        )
    }

    /// The rectangle, moved inside a window that is very small.
    private func held(_ rect: Rect) -> Rect {
        var rect = rect
        rect.x = max(0, min(rect.x, area.width - rect.width))
        rect.y = max(0, min(rect.y, area.height - rect.height))
        return rect
    }

    /// The emblem shown in place of a picture; its size goes in steps, so that a resize does not redraw it each time.
    static func emblem(in rect: Rect) -> Rect {
        let side = max(16, min(rect.width, rect.height) * 2 / 5 / 16 * 16)
        return rect.fitting(width: 1, height: 1).shrunk(to: side)
    }
}

extension Rect {
    /// A square of the same centre.
    fileprivate func shrunk(to side: Int) -> Rect {
        Rect(x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side)
    }
}
