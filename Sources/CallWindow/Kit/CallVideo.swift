internal import CallCore

/// The sizes of a call's remote and local video; nil if there is no video.
struct CallVideo: Hashable, Sendable {
    var remote: Resolution?
    var local: Resolution?
    /// Whether no remote frame has arrived for a while, so that the last one stands still.
    var isPaused = false
}
