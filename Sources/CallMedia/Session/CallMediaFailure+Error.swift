internal import Basics
internal import CallCore
internal import GStreamerKit
internal import MediaKit

extension CallMediaFailure {
    /// Converts an error, such as one of GStreamerKit, into a failure of the call.
    init(_ error: any Error) {
        switch error {
        case let failure as CallMediaFailure: self = failure
        case GStreamerError.badSDP:
            self = .local(.pipeline(element: "webrtcbin", message: "its session description is invalid"))
        case GStreamerError.rejected(let message):
            self = .local(.pipeline(element: "webrtcbin", message: message))
        default: self = .local(MediaFailure(error))
        }
    }
}
