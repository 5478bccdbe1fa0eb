/// The reason why a picture is not decoded.
package enum PictureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are not the beginning of a JPEG, a PNG or a WebP.
    case notAPicture
    /// The picture exceeds the limit of bytes or pixels.
    case tooLarge
    /// The picture is incomplete, invalid or of an unsupported kind, such as an animation or CMYK, or decoding takes
    /// too long.
    case damaged
    /// GStreamer cannot run the elements, for the reason given.
    case unavailable(String)
    /// The calling task was cancelled.
    case cancelled

    package var description: String {
        switch self {
        case .notAPicture: "the file is not a picture in JPEG, PNG or WebP"
        case .tooLarge: "the picture is too large"
        case .damaged: "the picture is damaged, or of a kind that cannot be decoded"
        case .unavailable(let reason): "pictures cannot be decoded: \(reason)"
        case .cancelled: "the picture was not decoded, because the task was cancelled"
        }
    }
}
