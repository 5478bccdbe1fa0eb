/// A receiver of decoded frames and audio levels.
///
/// It is called on a media thread, so its methods must return at once.
package protocol VideoSink: Sendable {
    func show(_ frame: VideoFrame, from side: MediaSide)

    /// Shows the audio level of a side in dBov (−127…0); called ten times a second or more.
    func show(audioLevel: Double, of side: MediaSide)
}

extension VideoSink {
    package func show(audioLevel: Double, of side: MediaSide) {}
}
