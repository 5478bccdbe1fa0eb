internal import CallCore

/// The state of the user's controls, which persists from call to call.
package struct CallControls: Hashable, Sendable {
    package var isMuted = false
    package var isCameraOff = false
    /// The path of the recording that the user has started; nil if there is none.
    package var recording: String?

    mutating func apply(_ command: CallCommand) {
        switch command {
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .setCameraOff(let isOff): isCameraOff = isOff
        case .startCall, .hangUp, .accept, .decline, .leave: break
        }
    }
}
