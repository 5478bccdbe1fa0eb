internal import Basics

/// A setting as `config show` and a dump report it.
struct SettingLine {
    let setting: Setting
    let value: String?
    /// The source of the value.
    let origin: String

    /// Creates the line; `flags` are the values on the command line.
    init(_ setting: Setting, _ settings: Settings, flags: [String] = []) {
        self.setting = setting
        let entry = settings.entry(setting, flags)
        let text = entry?.texts.map { Self.withoutSecrets($0, setting) }.joined(separator: ",")
        value = setting.isSecret && text != nil ? "(hidden)" : text
        origin =
            switch entry?.origin {
            case .environment?: setting.variable
            case .file?: settings.file.path ?? "file"
            case .flag?: "command line"
            case .byDefault?, nil: "default"
            }
    }

    /// Removes secrets from a URL, which may contain a password.
    private static func withoutSecrets(_ text: String, _ setting: Setting) -> String {
        // A STUN server has none, but its value may be that of a TURN server.
        text.contains("://") || setting == .stun ? text.withoutURLSecrets : text
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
