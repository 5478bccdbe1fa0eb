/// What `--source` names.
package enum SourceChoice: Hashable, Sendable {
    /// The first camera that delivers a picture, else the test video.
    case auto
    case test
    /// A v4l2 device, or the first one there is.
    case camera(String?)
    case pattern
    /// The X11 display.
    case screen
    case none
    case file(String)
    /// An address of HTTP or RTSP.
    case url(String)
    /// A pipeline description of the user's own, by its path.
    case description(String)

    /// The schemes of addresses that can be played.
    package static let schemes = ["http", "https", "rtsp", "rtsps"]

    /// - Parameter text: as on the command line; anything that is no keyword is an address or a path.
    package init(_ text: String) {
        switch text {
        case "auto": self = .auto
        case "test": self = .test
        case "camera": self = .camera(nil)
        case "pattern": self = .pattern
        case "screen": self = .screen
        case "none": self = .none
        default:
            if text.hasPrefix("camera:") {
                self = .camera(String(text.dropFirst(7)))
            } else if text.contains("://") {
                self = .url(text)
            } else {
                self = text.hasSuffix(".pipeline") ? .description(text) : .file(text)
            }
        }
    }
}
