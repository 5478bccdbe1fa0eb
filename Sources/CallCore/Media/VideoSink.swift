/// Where decoded pictures go, and how loud it is beside them; called on a media thread, so it returns at once.
package protocol VideoSink: Sendable {
    func show(_ frame: VideoFrame, from side: MediaSide)

    /// How loud the one whose picture it is speaks, in dBov (−127…0), ten times a second or more.
    func show(audioLevel: Double, of side: MediaSide)
}

extension VideoSink {
    package func show(audioLevel: Double, of side: MediaSide) {}
}
