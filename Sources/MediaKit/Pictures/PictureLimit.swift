/// The maximum size of pictures that are decoded.
///
/// Without a limit, a picture of a few kilobytes could make the decoder allocate gigabytes of memory.
package struct PictureLimit: Hashable, Sendable {
    /// The default: 5 MB and 4096×4096 pixels, the same limits as those of the account server.
    package static let standard = PictureLimit()

    /// The maximum number of bytes.
    package var bytes: Int
    /// The maximum width and height in pixels, at most `VideoFrame.largestSide`.
    package var side: Int
    /// The maximum number of pixels.
    package var pixels: Int

    package init(bytes: Int = 5_000_000, side: Int = 4096, pixels: Int = 16_777_216) {
        (self.bytes, self.side, self.pixels) = (bytes, side, pixels)
    }
}
