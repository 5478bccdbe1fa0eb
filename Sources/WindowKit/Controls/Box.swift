/// A position in points; y increases downward.
package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double

    package init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }
}

/// A rectangle in points; y increases downward.
///
/// A point is one pixel unless the desktop or the user has set another scale.
package struct Box: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double = 0, y: Double = 0, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package init(center: Point, width: Double, height: Double) {
        self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    package var right: Double { x + width }
    package var bottom: Double { y + height }
    package var center: Point { Point(x + width / 2, y + height / 2) }

    package func contains(_ point: Point) -> Bool {
        point.x >= x && point.x < right && point.y >= y && point.y < bottom
    }

    func contains(_ other: Box) -> Bool {
        other.x >= x - 0.01 && other.y >= y - 0.01 && other.right <= right + 0.01
            && other.bottom <= bottom + 0.01
    }

    package func intersects(_ other: Box) -> Bool {
        other.x < right && x < other.right && other.y < bottom && y < other.bottom
    }

    package func inset(by margin: Double) -> Box { inset(x: margin, y: margin) }

    package func inset(x horizontal: Double, y vertical: Double) -> Box {
        Box(
            x: x + horizontal,
            y: y + vertical,
            width: max(0, width - 2 * horizontal),
            height: max(0, height - 2 * vertical)
        )
    }

    package func moved(x dx: Double = 0, y dy: Double = 0) -> Box {
        Box(x: x + dx, y: y + dy, width: width, height: height)
    }

    /// Removes a strip and the gap below it from the top of the box, and returns the strip.
    package mutating func takeTop(_ height: Double, gap: Double = 0) -> Box {
        let strip = Box(x: x, y: y, width: width, height: height)
        y += height + gap
        self.height = max(0, self.height - height - gap)
        return strip
    }

    /// Removes a strip and the gap above it from the bottom of the box, and returns the strip.
    package mutating func takeBottom(_ height: Double, gap: Double = 0) -> Box {
        let strip = Box(x: x, y: bottom - height, width: width, height: height)
        self.height = max(0, self.height - height - gap)
        return strip
    }

    /// Removes a strip and the gap beside it from the left of the box, and returns the strip.
    package mutating func takeLeft(_ width: Double, gap: Double = 0) -> Box {
        let strip = Box(x: x, y: y, width: width, height: height)
        x += width + gap
        self.width = max(0, self.width - width - gap)
        return strip
    }

    /// Removes a strip and the gap beside it from the right of the box, and returns the strip.
    package mutating func takeRight(_ width: Double, gap: Double = 0) -> Box {
        self.width = max(0, self.width - width)
        let strip = Box(x: right, y: y, width: width, height: height)
        self.width = max(0, self.width - gap)
        return strip
    }

    /// Divides the box into columns of equal width.
    package func columns(_ count: Int, gap: Double) -> [Box] {
        let width = (self.width - gap * Double(count - 1)) / Double(max(1, count))
        return (0..<count).map { index in
            Box(x: x + (width + gap) * Double(index), y: y, width: width, height: height)
        }
    }
}
