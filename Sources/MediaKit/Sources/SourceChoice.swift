package import Basics

/// The source selected with `--source`.
package enum SourceChoice: Hashable, Sendable {
    /// The preferred camera, else the first other one that delivers video; the test video if there is none,
    /// or if the call has no video.
    case auto
    case test
    /// The path of a v4l2 device; nil for the preferred or the first camera.
    case camera(String?)
    case pattern
    /// The screen of the X11 display.
    case screen
    case none
    case file(String)
    /// An HTTP or RTSP URL.
    case url(String)
    /// The path of the user's own pipeline template.
    case description(String)

    /// The supported URL schemes.
    package static let schemes = ["http", "https", "rtsp", "rtsps"]

    /// Parses the value of `--source`; a value other than a keyword is a URL or a path.
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

    /// If the source is a file, checks that it is readable, without reading it.
    ///
    /// - Throws: `MediaFailure.source` if it is not.
    package func expectFile() throws(MediaFailure) {
        if case .file(let path) = self { try SourceOpener.expectFile(path) }
    }
}
