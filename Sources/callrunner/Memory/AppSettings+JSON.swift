internal import CallCore
internal import CallFlow
internal import SocketIO

extension AppSettings {
    /// Creates settings from JSON; a member that is missing or invalid keeps its default.
    ///
    /// - Parameters:
    ///   - json: The contents of the file.
    ///   - complain: Called with the name of each invalid member.
    init(_ json: JSON, complain: (String) -> Void) {
        self.init()
        func read<Value>(_ name: String, _ value: (JSON) -> Value?, _ take: (Value) -> Void) {
            guard let member = json[name], !member.isNull else { return }
            if let value = value(member) { take(value) } else { complain(name) }
        }
        read("server", { $0.stringValue.flatMap { try? SettingText.serverURL($0) } }) { server = $0 }
        read("theme", { $0.stringValue.flatMap(Theme.init) }) { theme = $0 }
        read("language", { $0.stringValue.flatMap(Language.init) }) { language = $0 }
        read("text-scale", { json in json.doubleValue.flatMap { Self.textScales.contains($0) ? $0 : nil } }) {
            textScale = $0
        }
        read("auto-answer", \.boolValue) { answersByItself = $0 }
        for kind in CallDevice.Kind.allCases {
            read(kind.rawValue, { CallDevice($0, kind) }) { devices[kind] = $0 }
        }
    }

    var json: JSON {
        func device(_ kind: CallDevice.Kind) -> JSON {
            devices[kind].map { ["id": .string($0.id), "name": .string($0.name)] } ?? .null
        }
        return [
            "server": server.map(JSON.string) ?? .null, "theme": .string(theme.rawValue),
            "language": language.map { .string($0.rawValue) } ?? .null, "text-scale": .number(textScale),
            "auto-answer": .bool(answersByItself),
            "microphone": device(.microphone), "speaker": device(.speaker), "camera": device(.camera),
        ]
    }
}

extension CallDevice {
    /// The maximum length of a device's id or name in bytes.
    private static let longest = 1024

    fileprivate init?(_ json: JSON, _ kind: Kind) {
        guard let id = json["id"]?.stringValue, let name = json["name"]?.stringValue, !id.isEmpty,
            id.utf8.count <= Self.longest, name.utf8.count <= Self.longest, !id.utf8.contains(0)
        else { return nil }
        self.init(kind, id: id, name: name)
    }
}
