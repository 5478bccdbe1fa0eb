package import CallCore

/// What a script, or a button, wants of a run; the same for both.
package enum ControlAction: Hashable, Sendable {
    case setMuted(Bool), setCameraOff(Bool)
    /// As `MediaService.startRecording` takes it.
    case startRecording(path: String?, sides: Set<MediaSide>?)
    case stopRecording
    case takeSnapshot(path: String?)
    /// Ends the call; `leave` the room and the run as well.
    case hangUp, leave
    /// Answers the offer that rings, or does not.
    case accept, decline
    case startCall
    case status
    /// Lists the devices, or goes on with another one in a call, by its id or name.
    case devices, select(String, as: CallDevice.Kind)

    /// Whether it is done as soon as it is asked for; else a disk or the peer has to do its part.
    package var isQuick: Bool {
        switch self {
        case .setMuted, .setCameraOff, .hangUp, .leave, .accept, .decline, .startCall, .status: true
        case .startRecording, .stopRecording, .takeSnapshot, .devices, .select: false
        }
    }
}

/// What became of a `ControlAction`.
package enum ControlAnswer: Hashable, Sendable {
    case done
    /// The file that is being written, or was.
    case file(String)
    case status(ControlStatus)
    case devices([CallDevice])
    /// The name of the one in use.
    case device(String)
}

/// Where a run stands.
package struct ControlStatus: Hashable, Sendable {
    /// `login`, `room`, or the call's state as in `call.state`.
    package var state: String
    /// Of the room: `disconnected`, `connecting` or `connected`; nil on other screens.
    package var connection: String?
    package var peer: String?
    package var controls = CallControls()
    /// The peer's use of its media, where it tells.
    package var peerMedia: MediaState?
    /// Whether a call could be started, or answered, now.
    package var canCall = false
    package var canAnswer = false
}

/// Why a `ControlAction` is not done; nothing ends by it.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// Kebab-case, fixed for scripts.
    package var code: String
    /// In plain words; no full stop at the end.
    package var message: String

    package init(code: String, message: String) { (self.code, self.message) = (code, message) }

    init(_ refusal: MediaRefusal) { self.init(code: refusal.reason.rawValue, message: refusal.message) }
}
