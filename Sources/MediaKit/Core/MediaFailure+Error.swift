package import Basics
internal import GStreamerKit

extension MediaFailure {
    /// Converts an error, such as a `GStreamerError`, to a failure of media.
    package init(_ error: any Error) {
        switch error {
        case let failure as MediaFailure: self = failure
        case GStreamerError.missingElement(let name): self = .missingPlugin([name])
        default: self = .pipeline(element: "media", message: "\(error)")
        }
    }
}
