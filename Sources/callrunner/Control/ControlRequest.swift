internal import AppFlow
internal import Basics
internal import CallCore
internal import SocketIO

/// A control command from one line of input, with the ID for its reply.
struct ControlRequest: Hashable {
    /// The ID, a string or a number; nil if the line has none.
    var id: JSON?
    var command: String
    var action: CallsCommand

    /// The reason why a line is not a valid command, with the ID if it could be read, and the command if it
    /// is known.
    struct Problem: Error, Hashable {
        var id: JSON?
        var command: String?
        var refusal: ControlRefusal
    }

    /// The known commands, in the same order as in the help.
    static let commands = [
        "mute", "camera", "record", "snapshot", "hangup", "answer", "decline", "call", "leave", "status",
        "devices", "select",
    ]

    /// Parses a line.
    ///
    /// - Throws: `Problem`.
    init(_ line: [UInt8]) throws(Problem) {
        let json: JSON
        do { json = try JSON(parsing: line) } catch {
            throw Problem(
                refusal: ControlRefusal(code: "bad-json", message: "the line is not JSON: \(error)")
            )
        }
        guard let members = json.objectValue else {
            throw Problem(refusal: ControlRefusal(code: "bad-json", message: "the line is not a JSON object"))
        }
        let id = try Self.id(members)
        self.id = id
        guard let command = members["command"]?.stringValue else {
            let refusal = ControlRefusal(code: "bad-command", message: "“command” is missing or not a string")
            throw Problem(id: id, refusal: refusal)
        }
        self.command = command
        do throws(ControlRefusal) {
            var arguments = Arguments(members)
            action = try Self.action(command, &arguments)
            try arguments.checkNothingIsLeft(for: command)
        } catch {
            let isKnown = Self.commands.contains(command)
            throw Problem(id: id, command: isKnown ? command : nil, refusal: error)
        }
    }

    private static func id(_ members: JSONObject) throws(Problem) -> JSON? {
        switch members["id"] {
        case nil, .null: return nil
        case let id? where id.stringValue != nil || id.doubleValue != nil: return id
        default:
            let refusal = ControlRefusal(
                code: "bad-argument",
                message: "“id” is neither a string nor a number"
            )
            throw Problem(refusal: refusal)
        }
    }

    private static func action(
        _ command: String,
        _ arguments: inout Arguments
    ) throws(ControlRefusal) -> CallsCommand {
        switch command {
        case "mute": return .setMuted(try arguments.truth("on"))
        case "camera": return .setCameraOff(!(try arguments.truth("on")))
        case "record":
            guard try arguments.truth("on", otherwise: true) else { return .stopRecording }
            return .startRecording(path: try arguments.text("path"), sides: try arguments.sides())
        case "snapshot": return .takeSnapshot(path: try arguments.text("path"))
        case "hangup": return .hangUp
        case "answer": return .accept
        case "decline": return .decline
        case "call": return .startCall
        case "leave": return .quit
        case "status": return .status
        case "devices": return .listDevices
        case "select": return try arguments.device()
        default:
            let names = commands.joined(separator: ", ")
            throw ControlRefusal(code: "bad-command", message: "unknown command; the commands are \(names)")
        }
    }
}

/// The JSON members of a command; a member that the command does not use is an error.
private struct Arguments {
    private let members: JSONObject
    private var used: Set<String> = ["id", "command"]

    init(_ members: JSONObject) { self.members = members }

    mutating func truth(_ name: String, otherwise: Bool? = nil) throws(ControlRefusal) -> Bool {
        if let value = value(name)?.boolValue { return value }
        guard let otherwise, value(name) == nil else { throw wrong(name, "must be true or false") }
        return otherwise
    }

    mutating func text(_ name: String) throws(ControlRefusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw wrong(name, "is not a string") }
        return text
    }

    /// Reads the sides to record; nil if the command names none.
    mutating func sides() throws(ControlRefusal) -> Set<MediaSide>? {
        switch try text("sides") {
        case nil: return nil
        case "both": return [.remote, .local]
        case let name?:
            guard let side = MediaSide(rawValue: name) else {
                throw wrong("sides", "must be both, remote or local")
            }
            return [side]
        }
    }

    /// Reads the device to select; exactly one must be named.
    mutating func device() throws(ControlRefusal) -> CallsCommand {
        var named: CallsCommand?
        for kind in MediaDevice.Kind.allCases {
            guard let id = try text(kind.rawValue) else { continue }
            guard named == nil else {
                throw wrong(kind.rawValue, "is a second device; select one device per command")
            }
            named = .select(id, as: kind)
        }
        guard let named else { throw wrong("camera", "or “microphone” or “speaker” is required") }
        return named
    }

    fileprivate func checkNothingIsLeft(for command: String) throws(ControlRefusal) {
        guard let unknown = members.first(where: { !used.contains($0.key) }) else { return }
        throw wrong(String(unknown.key.prefix(64)), "is not an argument of \(command)")
    }

    private mutating func value(_ name: String) -> JSON? {
        used.insert(name)
        guard let value = members[name], !value.isNull else { return Optional.none }
        return value
    }

    private func wrong(_ name: String, _ what: String) -> ControlRefusal {
        ControlRefusal(code: "bad-argument", message: "“\(name)” \(what)")
    }
}
