/// Where decoded pictures go; called on a media thread, so it copies and returns.
package protocol VideoSink: Sendable {
    func show(_ frame: borrowing VideoFrame, from picture: Picture)
}

/// Which of a call's pictures is meant.
package enum Picture: Hashable, Sendable, CaseIterable {
    case remote, local
}
