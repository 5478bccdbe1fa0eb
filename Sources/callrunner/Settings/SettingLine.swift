internal import CallCore
internal import SocketIO

/// One setting, as `config show` tells it.
struct SettingLine {
    let setting: Setting
    let value: String?
    /// Who says so.
    let origin: String

    init(_ setting: Setting, _ settings: Settings) {
        self.setting = setting
        let entry = settings.entry(setting)
        let texts = entry?.texts.map { setting == .server ? $0.withoutURLSecrets : $0 }
        let text = texts?.joined(separator: ",")
        value = setting.isSecret && text != nil ? "(hidden)" : text
        origin =
            switch entry?.origin {
            case .environment?: setting.variable
            case .file?: settings.file.path ?? "file"
            case .flag?, .byDefault?, nil: "default"
            }
    }

    var text: String {
        let name = setting.rawValue + String(repeating: " ", count: max(0, 16 - setting.rawValue.count))
        return "\(name) \(value ?? "not set")  (\(origin))"
    }

    var fields: JSONObject {
        [
            "name": .string(setting.rawValue), "value": value.map(JSON.string) ?? .null,
            "origin": .string(origin),
        ]
    }
}
