internal import CallCore

/// What the user has switched off; it holds from call to call.
package struct CallControls: Hashable, Sendable {
    package var isMuted = false
    package var isCameraOff = false

    mutating func apply(_ command: CallCommand) {
        switch command {
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .setCameraOff(let isOff): isCameraOff = isOff
        case .startCall, .hangUp, .accept, .decline, .leave: break
        }
    }
}
