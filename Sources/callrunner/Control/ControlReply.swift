internal import AppFlow
internal import Basics
internal import CallCore
internal import FoundationEssentials

/// The reply to a control command, which is also written as the event `control`.
struct ControlReply {
    var id: JSON?
    /// The command; nil if no known command was read from the line.
    var command: String?
    var result: Result<ControlAnswer, ControlRefusal>

    init(to request: ControlRequest, _ result: Result<ControlAnswer, ControlRefusal>) {
        (id, command, self.result) = (request.id, request.command, result)
    }

    init(to problem: ControlRequest.Problem) {
        (id, command, result) = (problem.id, problem.command, .failure(problem.refusal))
    }

    /// Creates the reply to a client whose connection is rejected.
    init(refusing refusal: ControlRefusal) { result = .failure(refusal) }

    var fields: JSONObject {
        var fields: JSONObject = [:]
        if let id { fields["id"] = id }
        if let command { fields["command"] = .string(command) }
        switch result {
        case .success(let answer):
            fields["ok"] = true
            switch answer {
            case .done: break
            case .file(let path): fields["path"] = .string(path)
            case .device(let name): fields["device"] = .string(name)
            case .devices(let devices): fields["devices"] = .array(devices.map(\.json))
            case .status(let status): for (name, value) in status.fields { fields[name] = value }
            }
        case .failure(let refusal):
            fields["ok"] = false
            fields["error"] = .string(refusal.code)
            fields["message"] = .string(refusal.message)
        }
        return fields
    }

    /// The error message for the console; nil if the command succeeded.
    var sentence: String? {
        guard case .failure(let refusal) = result else { return nil }
        return "control: \(command.map { "\($0): " } ?? "")\(refusal.message)"
    }

    /// The reply as a line of JSON for a client of the control socket.
    var line: [UInt8] {
        Array(EventWriter.line("control", fields, at: .now, elapsed: ProcessClock.elapsed).utf8)
    }
}

extension MediaDevice {
    fileprivate var json: JSON {
        ["kind": .string(kind.rawValue), "id": .string(id), "name": .string(name)]
    }
}

extension ControlStatus {
    fileprivate var fields: JSONObject {
        var fields: JSONObject = ["state": .string(state)]
        if let connection { fields["connection"] = .string(connection) }
        if let peer { fields["peer"] = .string(peer) }
        fields["muted"] = .bool(controls.isMuted)
        fields["cameraOff"] = .bool(controls.isCameraOff)
        if let recording = controls.recording { fields["recording"] = .string(recording) }
        if let peerMedia { fields["peerMedia"] = .object(peerMedia.fields) }
        fields["canCall"] = .bool(canCall)
        fields["canAnswer"] = .bool(canAnswer)
        return fields
    }
}
