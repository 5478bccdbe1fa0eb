internal import Basics

/// The sizes of a call's remote and local video; nil without video.
struct CallVideo: Hashable, Sendable {
    var remote: Resolution?
    var local: Resolution?
    /// Whether the remote video is frozen because no frame has arrived for a while.
    var isPaused = false
}
