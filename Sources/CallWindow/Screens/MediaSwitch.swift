internal import AppFlow
internal import WindowKit

/// A control that mutes the microphone or turns off the camera.
enum MediaSwitch: Hashable, CaseIterable {
    case microphone, camera

    /// The key with the same effect.
    var key: Shortcut {
        switch self {
        case .microphone: .m
        case .camera: .v
        }
    }

    func isOff(_ controls: CallControls) -> Bool {
        switch self {
        case .microphone: controls.isMuted
        case .camera: controls.isCameraOff
        }
    }

    func glyph(_ controls: CallControls) -> Glyph {
        switch self {
        case .microphone: controls.isMuted ? .mutedMicrophone : .microphone
        case .camera: controls.isCameraOff ? .closedCamera : .camera
        }
    }

    /// Describes the effect of a press, with the name of the key if `hasKey`.
    func name(_ controls: CallControls, _ strings: Strings, hasKey: Bool) -> String {
        let (effect, letter) =
            switch self {
            case .microphone: (controls.isMuted ? "call.unmute" : "call.mute", "M")
            case .camera: (controls.isCameraOff ? "call.camera.on" : "call.camera.off", "V")
            }
        return strings[effect] + (hasKey ? " (\(letter))" : "")
    }
}
