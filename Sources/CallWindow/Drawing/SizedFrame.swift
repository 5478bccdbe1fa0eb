internal import CallCore

/// A decoded frame, and its pixels in the size in which it is shown.
struct SizedFrame: Sendable {
    let original: VideoFrame
    /// The pixels; nil if the frame arrived before its size was known, or need not be scaled.
    var pixels: VideoFrame?
}

/// The size in pixels in which the frames of a side are shown.
enum ShownSize: Hashable, Sendable {
    /// The largest size with the frame's aspect ratio in this area.
    case inside(Resolution)
    /// Exactly this size.
    case exactly(Resolution)

    /// Computes the size of a frame with these proportions.
    func size(of shape: Resolution) -> Resolution {
        switch self {
        case .inside(let area):
            let place = Rect(x: 0, y: 0, width: area.width, height: area.height)
                .fitting(width: shape.width, height: shape.height)
            return Resolution(width: place.width, height: place.height)
        case .exactly(let size): return size
        }
    }
}
