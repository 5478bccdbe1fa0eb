internal import Basics
internal import FoundationEssentials
internal import UserStore

/// The configuration file `callrunner/config.json`: one JSON object whose members are named like the flags.
struct SettingsFile {
    /// The maximum size of the file in bytes.
    static let maximumBytes = 65_536

    let path: String?
    private(set) var exists = false
    private(set) var texts: [Setting: [String]] = [:]
    /// The problems of the file, each with exit code 64.
    private(set) var problems: [Failure] = []
    /// The permissions of other users on the file.
    private(set) var openness: FileAccess = []

    /// An empty file, for settings that are not read from the configuration file.
    static let none = SettingsFile(path: nil)

    private init(path: String?) { self.path = path }

    /// Reads the user's file; if it does not exist, nothing is set.
    init(environment: [String: String]) {
        self.init(path: Self.path(in: environment))
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        exists = true
        openness = FileAccess(ofFileAt: path)
        do throws(Failure) { parse(try Self.contents(of: path), path) } catch { problems.append(error) }
    }

    /// Parses `json` as the contents of the file at `path`.
    init(json: String, path: String) {
        self.init(path: path)
        parse(Array(json.utf8), path)
    }

    /// A warning if other users can read or write the file; nil otherwise.
    var warning: String? {
        guard let path, !openness.isEmpty else { return nil }
        return
            "all users of this machine may \(openness.verbs) \(path); run \(openness.fixCommand(path)) to prevent this"
    }

    /// Returns the path of the file below `$XDG_CONFIG_HOME` or `~/.config`; nil if neither folder is known.
    ///
    /// A relative `$XDG_CONFIG_HOME` is ignored (XDG Base Directory Specification 0.8).
    static func path(in environment: [String: String]) -> String? {
        PrivateFolder.configuration(environment)?.path("config.json")
    }

    private static func contents(of path: String) throws(Failure) -> [UInt8] {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw .usage("\(path) cannot be read", hint: "check its permissions")
        }
        guard contents.count <= maximumBytes else {
            throw .usage("\(path) is too large", hint: "the file may have at most \(maximumBytes) bytes")
        }
        return Array(contents)
    }

    private mutating func parse(_ bytes: [UInt8], _ path: String) {
        let json: JSON
        do { json = try JSON(parsing: bytes) } catch {
            let hint = "correct the file, or remove it"
            return problems = [.usage("\(path) is not JSON: \(error)", hint: hint)]
        }
        guard let members = json.objectValue else {
            let hint = #"for example {"name": "Ann", "server-timeout": "5s"}"#
            return problems = [.usage("\(path) must contain one JSON object", hint: hint)]
        }
        for (name, value) in members {
            do throws(Failure) { try set(name, value, path) } catch { problems.append(error) }
        }
    }

    private mutating func set(_ name: String, _ value: JSON, _ path: String) throws(Failure) {
        guard let setting = Setting(rawValue: name) else {
            throw .usage(
                "\(path): there is no setting “\(name)”",
                hint: "settings are named like the flags; `callrunner config show` lists them"
            )
        }
        guard let values = Self.texts(of: value) else {
            throw .usage(
                "\(path): “\(name)” has a value of the wrong type",
                hint: "give a string, a number, true or false, or a list of strings"
            )
        }
        texts[setting] = values
    }

    /// Converts a JSON value to the form that it has on the command line; nil if it has no such form.
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
