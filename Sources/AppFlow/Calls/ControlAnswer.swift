package import Basics
package import CallCore

/// The result of a command.
package enum ControlAnswer: Hashable, Sendable {
    case done
    /// The path of the file that is being written or has just been completed.
    case file(String)
    case status(ControlStatus)
    case devices([MediaDevice])
    /// The name of the device in use.
    case device(String)
}

/// The state of a run.
package struct ControlStatus: Hashable, Sendable {
    /// The state: `login`, `room`, or the call's state as in `call.state`.
    package var state: String
    /// The connection to the room: `disconnected`, `connecting` or `connected`; nil unless the Room screen is
    /// shown.
    package var connection: String?
    package var peer: String?
    package var controls = CallControls()
    /// The media state of the peer, if it sends one.
    package var peerMedia: MediaState?
    /// Whether a call can be started now; `canAnswer` is true while an incoming call can be answered.
    package var canCall = false
    package var canAnswer = false
}

/// The reason why a command was refused; the run itself continues.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// The error code in kebab case, on which scripts can rely.
    package var code: String
    /// The reason in plain words, without a full stop.
    package var message: String

    package init(code: String, message: String) { (self.code, self.message) = (code, message) }

    static let noRoom = ControlRefusal(code: "no-room", message: "no room is chosen yet")
    static let noCall = ControlRefusal(code: "no-call", message: "there is no call now")

    init(_ refusal: MediaRefusal) { self.init(code: refusal.reason.rawValue, message: refusal.message) }
}
