package import Basics

/// The preview of a recording in a list.
package struct RecordingPreview: Equatable, Sendable {
    /// The duration; nil if the file does not contain it.
    package var duration: Duration?
    /// A small image of an early video frame; nil without video.
    package var picture: VideoFrame?

    package init(duration: Duration? = nil, picture: VideoFrame? = nil) {
        (self.duration, self.picture) = (duration, picture)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.duration == right.duration && left.picture === right.picture
    }
}
