internal import CallCore

/// Which of a call's pictures there are, as large as they are themselves.
struct CallPictures: Hashable, Sendable {
    var remote: PictureSize?
    var local: PictureSize?
}
