internal import CallFlow
internal import SocketIO

extension AppSettings {
    /// What can be understood; the rest stays as it is by default.
    ///
    /// - Parameters:
    ///   - json: what the file holds.
    ///   - complain: called with the name of what is not understood.
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
    }

    var json: JSON {
        [
            "server": server.map(JSON.string) ?? .null, "theme": .string(theme.rawValue),
            "language": language.map { .string($0.rawValue) } ?? .null, "text-scale": .number(textScale),
            "auto-answer": .bool(answersByItself),
        ]
    }
}
