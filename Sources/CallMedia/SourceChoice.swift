/// What `--source` names.
package enum SourceChoice: Hashable, Sendable {
    /// The first camera that delivers a picture, else the test video.
    case auto
    case test
    /// A v4l2 device, or the first one there is.
    case camera(String?)
    case pattern
    case none
    case file(String)

    /// - Parameter text: as on the command line; anything that is no keyword is a file's path.
    package init(_ text: String) {
        switch text {
        case "auto": self = .auto
        case "test": self = .test
        case "camera": self = .camera(nil)
        case "pattern": self = .pattern
        case "none": self = .none
        default: self = text.hasPrefix("camera:") ? .camera(String(text.dropFirst(7))) : .file(text)
        }
    }
}
