internal import CallCore

/// Which of a call's pictures there are, as large as they are themselves.
struct CallPictures: Hashable, Sendable {
    var remote: PictureSize?
    var local: PictureSize?
    /// Whether none of the peer's has come for a while, so that the last one stands still.
    var isPaused = false
}
