package import Basics
package import CallCore

/// A command to the flow of calls, sent by a button, a key, the window or a script.
package enum CallsCommand: Hashable, Sendable {
    /// A command to the session in the room.
    case call(CallCommand)
    /// Leaves the login screen and shows the room of this identity.
    case proceed(Identity)
    case setRole(Role)
    /// Changes to the other role and joins the room in it.
    case switchRole
    /// Leaves the room for a call with a person from the chat, and returns to the room afterwards.
    case visit(RoomVisit)
    /// Connects to the room, even before the countdown to the next attempt ends.
    case connect
    /// Leaves the room, or ends the attempt to join it or the countdown; a call is hung up first.
    case disconnect
    /// Disconnects and deletes the identity and the token of the user.
    case logout
    /// Hangs up, leaves the room and ends the run.
    case quit
    /// Starts a recording as `MediaService.startRecording` does.
    case startRecording(path: String?, sides: Set<MediaSide>?)
    case stopRecording
    case takeSnapshot(path: String?)
    /// Sends silence instead of audio, or audio again.
    case setMuted(Bool)
    case setCameraOff(Bool)
    /// Changes the volume of the peer's audio by a step.
    case changeVolume(isLouder: Bool)
    /// Lists the devices; `select` switches the call to another device by its ID or name.
    case listDevices, select(String, as: MediaDevice.Kind)
    case status

    package static let startCall = CallsCommand.call(.startCall)
    package static let hangUp = CallsCommand.call(.hangUp)
    /// Answers or declines the incoming call.
    package static let (accept, decline) = (CallsCommand.call(.accept), CallsCommand.call(.decline))

    /// Whether the command changes the microphone, the camera or the volume.
    var isForControls: Bool {
        switch self {
        case .setMuted, .setCameraOff, .changeVolume: true
        default: false
        }
    }

    /// Whether the command completes without waiting for a disk, a device or the peer.
    package var isQuick: Bool {
        switch self {
        case .call, .proceed, .setRole, .switchRole, .visit, .connect, .disconnect, .logout, .quit, .setMuted,
            .setCameraOff, .changeVolume, .status:
            true
        case .startRecording, .stopRecording, .takeSnapshot, .listDevices, .select: false
        }
    }
}
