package import Basics

/// The content of a recording that a list shows.
package struct RecordingPreview: Equatable, Sendable {
    /// The duration; nil if the file does not tell it.
    package var duration: Duration?
    /// An early frame of the video in a small size; nil without video.
    package var picture: VideoFrame?

    package init(duration: Duration? = nil, picture: VideoFrame? = nil) {
        (self.duration, self.picture) = (duration, picture)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.duration == right.duration && left.picture === right.picture
    }
}
