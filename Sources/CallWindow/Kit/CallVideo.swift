internal import CallCore

/// Which of a call's pictures there are, as large as they are themselves.
struct CallVideo: Hashable, Sendable {
    var remote: Resolution?
    var local: Resolution?
    /// Whether none of the peer's has come for a while, so that the last one stands still.
    var isPaused = false
}
