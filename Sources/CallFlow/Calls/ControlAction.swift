package import Basics
package import CallCore

/// An action that a script or a button requests of a run.
package enum ControlAction: Hashable, Sendable {
    case setMuted(Bool), setCameraOff(Bool)
    /// Starts a recording as `MediaService.startRecording` does.
    case startRecording(path: String?, sides: Set<MediaSide>?)
    case stopRecording
    case takeSnapshot(path: String?)
    /// Ends the call; `leave` also leaves the room and ends the run.
    case hangUp, leave
    /// Answers or declines the incoming call.
    case accept, decline
    case startCall
    case status
    /// Lists the devices; `select` switches the call to another device by its ID or name.
    case devices, select(String, as: CallDevice.Kind)

    /// Whether the action completes at once, without waiting for a disk or the peer.
    package var isQuick: Bool {
        switch self {
        case .setMuted, .setCameraOff, .hangUp, .leave, .accept, .decline, .startCall, .status: true
        case .startRecording, .stopRecording, .takeSnapshot, .devices, .select: false
        }
    }
}

/// The result of a `ControlAction`.
package enum ControlAnswer: Hashable, Sendable {
    case done
    /// The path of the file that is being written or has just been completed.
    case file(String)
    case status(ControlStatus)
    case devices([CallDevice])
    /// The name of the device in use.
    case device(String)
}

/// The state of a run.
package struct ControlStatus: Hashable, Sendable {
    /// The state: `login`, `room`, or the call's state as in `call.state`.
    package var state: String
    /// The connection to the room: `disconnected`, `connecting` or `connected`; nil on other screens.
    package var connection: String?
    package var peer: String?
    package var controls = CallControls()
    /// The media state of the peer, if it sends one.
    package var peerMedia: MediaState?
    /// Whether a call can be started now; `canAnswer` is true while an incoming call can be answered.
    package var canCall = false
    package var canAnswer = false
}

/// The reason why a `ControlAction` was refused; the run itself continues.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// The error code in kebab case, on which scripts can rely.
    package var code: String
    /// The reason in plain words, without a full stop.
    package var message: String

    package init(code: String, message: String) { (self.code, self.message) = (code, message) }

    init(_ refusal: MediaRefusal) { self.init(code: refusal.reason.rawValue, message: refusal.message) }
}
