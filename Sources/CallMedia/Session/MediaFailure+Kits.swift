internal import CallCore
internal import GStreamerKit

extension MediaFailure {
    /// Converts an error, such as one of GStreamerKit, into a failure of the call.
    init(_ error: any Error) {
        switch error {
        case let failure as MediaFailure: self = failure
        case GStreamerError.missingElement(let name): self = .missingPlugin([name])
        case GStreamerError.badSDP:
            self = .pipeline(element: "webrtcbin", message: "its session description is invalid")
        case GStreamerError.rejected(let message): self = .pipeline(element: "webrtcbin", message: message)
        default: self = .pipeline(element: "media", message: "\(error)")
        }
    }
}
