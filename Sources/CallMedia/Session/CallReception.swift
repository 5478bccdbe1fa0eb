package import Basics

/// The media expected and received in one call.
package struct CallReception: Hashable, Sendable {
    /// The kinds of media that the peer should have sent according to the negotiated directions.
    package internal(set) var expected: Set<MediaKind> = []
    /// The number of complete frames and audio packets received.
    package internal(set) var frames = 0
    /// The duration for which media was connected.
    package internal(set) var span = Duration.zero

    package init(expected: Set<MediaKind> = [], frames: Int = 0, span: Duration = .zero) {
        (self.expected, self.frames, self.span) = (expected, frames, span)
    }
}
