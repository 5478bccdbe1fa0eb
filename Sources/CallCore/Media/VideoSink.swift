/// Where decoded pictures go, and how loud it is beside them; called on a media thread, so it returns at once.
package protocol VideoSink: Sendable {
    func show(_ frame: VideoFrame, from picture: Picture)

    /// How loud the one whose picture it is speaks, in dBov (−127…0), ten times a second or more.
    func show(soundLevel: Double, of picture: Picture)
}

extension VideoSink {
    package func show(soundLevel: Double, of picture: Picture) {}
}

/// Which of a call's pictures is meant.
package enum Picture: Hashable, Sendable, CaseIterable {
    case remote, local
}
