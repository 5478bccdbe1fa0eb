package import Basics

/// A decoded frame, together with its pixels scaled to the displayed size.
package struct SizedFrame: Sendable {
    let original: VideoFrame
    /// The scaled pixels; nil if the frame was not scaled, for example because the displayed size was unknown
    /// when it arrived.
    var pixels: VideoFrame?

    package init(original: VideoFrame, pixels: VideoFrame? = nil) {
        (self.original, self.pixels) = (original, pixels)
    }
}

/// The size in pixels in which frames are displayed.
package enum ShownSize: Hashable, Sendable {
    /// The largest size with the frame's aspect ratio in this area.
    case inside(Resolution)
    /// Exactly this size.
    case exactly(Resolution)

    /// Computes the displayed size of a frame with this aspect ratio.
    package func size(of shape: Resolution) -> Resolution {
        switch self {
        case .inside(let area):
            let place = Rect(x: 0, y: 0, width: area.width, height: area.height)
                .fitting(width: shape.width, height: shape.height)
            return Resolution(width: place.width, height: place.height)
        case .exactly(let size): return size
        }
    }
}
