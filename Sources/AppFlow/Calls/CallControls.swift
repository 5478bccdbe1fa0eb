internal import Basics

/// The state of the user's controls, which persists from call to call.
package struct CallControls: Hashable, Sendable {
    package var isMuted = false
    package var isCameraOff = false
    /// The volume of the peer's audio, in percent.
    package var volume: Int
    /// The path of the recording that the user has started; nil if there is none.
    package var recording: String?

    package init(volume: Int = PlaybackVolume.normal) { self.volume = volume }

    /// Applies a command that changes the microphone, the camera or the volume.
    mutating func apply(_ command: CallsCommand) {
        switch command {
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .setCameraOff(let isOff): isCameraOff = isOff
        case .changeVolume(let isLouder): volume = PlaybackVolume.next(to: volume, isLouder: isLouder)
        default: break
        }
    }
}
