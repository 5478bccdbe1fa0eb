internal import WindowKit

extension Painter {
    /// The difference in pixels up to which a video of almost the same aspect ratio fills its rectangle.
    private static let rounding = 3

    /// Draws a video in the middle of the box, as large as possible; the corners are rounded if it fills the box.
    @WindowActor func video(_ texture: VideoTexture, in box: Box, radius: Double) {
        let place = rect(box)
        let fitted = place.fitting(width: texture.width, height: texture.height)
        // A difference of a few pixels results from rounding, not from another aspect ratio.
        let isFull =
            place.width - fitted.width <= Self.rounding && place.height - fitted.height <= Self.rounding
        video(texture, in: isFull ? place : fitted, radius: isFull ? radius : 0)
    }
}
