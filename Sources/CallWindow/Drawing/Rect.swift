/// A rectangle in pixels; y points down.
struct Rect: Hashable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    /// Computes the largest centered rectangle inside with the given aspect ratio, at least one pixel.
    func fitting(width pictureWidth: Int, height pictureHeight: Int) -> Rect {
        guard pictureWidth > 0, pictureHeight > 0 else { return self }
        let scale = min(Double(width) / Double(pictureWidth), Double(height) / Double(pictureHeight))
        let fitted = (
            width: max(1, Int((Double(pictureWidth) * scale).rounded())),
            height: max(1, Int((Double(pictureHeight) * scale).rounded()))
        )
        return Rect(
            x: x + (width - fitted.width) / 2,
            y: y + (height - fitted.height) / 2,
            width: fitted.width,
            height: fitted.height
        )
    }

    /// Grows the rectangle by `margin` pixels on each side.
    func grown(by margin: Int) -> Rect {
        Rect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
