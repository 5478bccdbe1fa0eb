internal import FoundationEssentials
internal import SocketIO

/// `callrunner/config.json` below the user's folder for configuration: one JSON object, its members named
/// like the flags.
struct SettingsFile {
    /// Larger ones are refused.
    static let maximumBytes = 65_536

    let path: String?
    private(set) var texts: [Setting: [String]] = [:]

    /// No file at all.
    static let none = SettingsFile(path: nil)

    private init(path: String?) { self.path = path }

    /// Reads the user's file; where there is none, nothing is set.
    ///
    /// - Throws: `Failure` with exit code 64 for a file that cannot be read, or says what nobody understands.
    init(environment: [String: String]) throws(Failure) {
        self.init(path: Self.path(in: environment))
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw .usage("\(path) cannot be read", hint: "see its permissions")
        }
        guard contents.count <= Self.maximumBytes else {
            throw .usage("\(path) is too large", hint: "at most \(Self.maximumBytes) bytes are read")
        }
        try take(Array(contents), path)
    }

    /// Reads `json` as if it were the file at `path`.
    ///
    /// - Throws: `Failure` with exit code 64.
    init(json: String, path: String) throws(Failure) {
        self.init(path: path)
        try take(Array(json.utf8), path)
    }

    /// `$XDG_CONFIG_HOME/callrunner/config.json`, or the same below `~/.config`; a relative folder does not
    /// count (XDG Base Directory Specification 0.8).
    static func path(in environment: [String: String]) -> String? {
        let folder =
            environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.config" : nil }
        return folder.map { "\($0)/callrunner/config.json" }
    }

    private mutating func take(_ bytes: [UInt8], _ path: String) throws(Failure) {
        let json: JSON
        do { json = try JSON(parsing: bytes) } catch {
            throw .usage("\(path) is no JSON: \(error)", hint: "correct the file, or move it away")
        }
        guard let members = json.objectValue else {
            throw .usage(
                "\(path) must hold one JSON object",
                hint: #"for example {"name": "Ann", "server-timeout": "5s"}"#
            )
        }
        for (name, value) in members {
            guard let setting = Setting(rawValue: name) else {
                throw .usage(
                    "\(path): there is no setting “\(name)”",
                    hint: "settings are named like the flags; `callrunner config show` lists them"
                )
            }
            guard let values = Self.texts(of: value) else {
                throw .usage(
                    "\(path): “\(name)” has a value of the wrong kind",
                    hint: "give a text, a number, true or false, or a list of texts"
                )
            }
            texts[setting] = values
        }
    }

    /// What the value would be on the command line; nil for one that has no such form.
    private static func texts(of value: JSON) -> [String]? {
        switch value {
        case .null: []
        case .string(let text): [text]
        case .bool(let isOn): ["\(isOn)"]
        case .int(let number): ["\(number)"]
        case .number(let number): ["\(number)"]
        case .array(let items):
            items.allSatisfy { $0.stringValue != nil } ? items.compactMap(\.stringValue) : nil
        case .object, .binary: nil
        }
    }
}
