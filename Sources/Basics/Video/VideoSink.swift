/// A receiver of decoded frames and audio levels.
///
/// It is called on a media thread, so its methods must not block.
package protocol VideoSink: Sendable {
    func show(_ frame: VideoFrame, from side: MediaSide)

    /// Shows the audio level of a side in dBov (−127…0); called ten times a second or more.
    func show(audioLevel: Double, of side: MediaSide)

    /// Whether the remote frames are visible now; while they are not, they need not be decoded.
    var isSeen: Bool { get }

    /// The height in pixels at which the remote frames are shown; nil if it is unknown.
    var shownHeight: Int? { get }
}

extension VideoSink {
    package var isSeen: Bool { true }
    package var shownHeight: Int? { nil }
    package func show(audioLevel: Double, of side: MediaSide) {}
}
