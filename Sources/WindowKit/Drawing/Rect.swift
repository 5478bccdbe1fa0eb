/// A rectangle in pixels; y increases downward.
package struct Rect: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Computes the largest centered rectangle with this aspect ratio inside this one, at least one pixel in
    /// width and height.
    package func fitting(width frameWidth: Int, height frameHeight: Int) -> Rect {
        guard frameWidth > 0, frameHeight > 0 else { return self }
        let scale = min(Double(width) / Double(frameWidth), Double(height) / Double(frameHeight))
        let fitted = (
            width: max(1, Int((Double(frameWidth) * scale).rounded())),
            height: max(1, Int((Double(frameHeight) * scale).rounded()))
        )
        return Rect(
            x: x + (width - fitted.width) / 2,
            y: y + (height - fitted.height) / 2,
            width: fitted.width,
            height: fitted.height
        )
    }

    /// Computes the smallest rectangle that contains both rectangles.
    package func union(_ other: Rect) -> Rect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return Rect(
            x: left,
            y: top,
            width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top
        )
    }

    /// Computes the intersection of both rectangles; its width or height is 0 if they do not overlap.
    package func intersection(_ other: Rect) -> Rect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return Rect(
            x: left,
            y: top,
            width: max(0, min(x + width, other.x + other.width) - left),
            height: max(0, min(y + height, other.y + other.height) - top)
        )
    }

    /// Grows the rectangle by `margin` pixels on each side.
    package func grown(by margin: Int) -> Rect {
        Rect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
