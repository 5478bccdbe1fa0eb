internal import CallCore

/// The switches that the user has set; they persist from call to call.
package struct CallControls: Hashable, Sendable {
    package var isMuted = false
    package var isCameraOff = false
    /// The file of the recording that was begun in the call; nil for none.
    package var recording: String?

    mutating func apply(_ command: CallCommand) {
        switch command {
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .setCameraOff(let isOff): isCameraOff = isOff
        case .startCall, .hangUp, .accept, .decline, .leave: break
        }
    }
}
