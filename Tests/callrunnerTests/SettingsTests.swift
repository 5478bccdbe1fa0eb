import Foundation
import Testing

@testable import callrunner

@Suite("Settings")
struct SettingsTests {
    private func settings(
        _ environment: [String: String] = [:],
        file: String = "{}"
    ) throws -> Settings {
        Settings(environment: environment, file: SettingsFile(json: file, path: "/config.json"))
    }

    @Test("A flag takes precedence over a variable, a variable over the file, and the file over the default")
    func order() throws {
        let environment = ["CALLRUNNER_SERVER_TIMEOUT": "2s"]
        let file = #"{"server-timeout": "3s"}"#
        let all = try settings(environment, file: file)
        #expect(all.entry(.serverTimeout, ["1s"]) == Settings.Entry(texts: ["1s"], origin: .flag))
        #expect(all.entry(.serverTimeout) == Settings.Entry(texts: ["2s"], origin: .environment))
        let fileOnly = try settings(file: file)
        #expect(fileOnly.entry(.serverTimeout) == Settings.Entry(texts: ["3s"], origin: .file))
        #expect(try settings().entry(.serverTimeout) == Settings.Entry(texts: ["10s"], origin: .byDefault))
        #expect(try settings().entry(.peerTimeout) == nil)
    }

    @Test("Each setting has its own environment variable, named after the flag")
    func variables() {
        #expect(Setting.server.variable == "CALLRUNNER_SERVER")
        #expect(Setting.connectTimeout.variable == "CALLRUNNER_CONNECT_TIMEOUT")
        #expect(Set(Setting.allCases.map(\.variable)).count == Setting.allCases.count)
    }

    @Test("An empty environment variable is ignored")
    func emptyVariable() throws {
        #expect(try settings(["CALLRUNNER_NAME": ""]).entry(.name) == nil)
    }

    @Test("A list is read from repeated flags, a variable with commas, or a JSON array")
    func lists() throws {
        let expected = ["stun:a", "stun:b"]
        #expect(try settings().entry(.stun, expected)?.texts == expected)
        #expect(try settings(["CALLRUNNER_STUN": "stun:a,stun:b"]).entry(.stun)?.texts == expected)
        #expect(try settings(file: #"{"stun": ["stun:a", "stun:b"]}"#).entry(.stun)?.texts == expected)
    }

    @Test(
        "The configuration file may contain strings, numbers and Booleans",
        arguments: [(#""1""#, "1"), ("1", "1"), ("true", "true")]
    )
    func fileValues(json: String, text: String) throws {
        #expect(try settings(file: #"{"repeat": \#(json)}"#).entry(.repeats)?.texts == [text])
    }

    @Test(
        "An invalid configuration file is rejected with exit code 64, and the message names its path",
        arguments: ["", "{", "[]", "3", #"{"rooom": 1}"#, #"{"room": {}}"#, #"{"stun": [1]}"#]
    )
    func badFile(json: String) throws {
        let problems = SettingsFile(json: json, path: "/config.json").problems
        #expect(problems.count == 1)
        #expect(problems.first?.exit == 64)
        #expect(problems.first?.message.contains("/config.json") == true)
        #expect(problems.first?.hint != nil)
    }

    @Test("Each invalid setting in the configuration file is reported, and the others apply")
    func partlyBadFile() {
        let file = SettingsFile(json: #"{"rooom": 1, "name": "Ann", "room": {}}"#, path: "/config.json")
        #expect(file.problems.count == 2)
        #expect(file.texts == [.name: ["Ann"]])
    }

    @Test(
        "A configuration file that others can read or write causes a warning with the command to fix it",
        arguments: [0o600, 0o640, 0o604, 0o602, 0o666]
    )
    func openFile(mode: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = folder.appending(path: "callrunner")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let path = place.appending(path: "config.json").path
        #expect(FileManager.default.createFile(atPath: path, contents: Data("{}".utf8)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let warning = SettingsFile(environment: ["XDG_CONFIG_HOME": folder.path]).warning
        let cures = [0o604: "o-r ", 0o602: "o-w ", 0o666: "o-rw "]
        #expect(warning?.contains("chmod \(cures[mode] ?? "?")") == (cures[mode] == nil ? nil : true))
    }

    @Test(
        "A secret key file is rejected if others can read it, and any key file if others can write it",
        arguments: [
            (0o600, true, true), (0o640, true, true), (0o644, false, true), (0o666, false, false),
            (0o602, false, false),
        ]
    )
    func keyFiles(mode: Int, isSecretTaken: Bool, isPublicTaken: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: Data("hush".utf8)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        for (isSecret, isTaken) in [(true, isSecretTaken), (false, isPublicTaken)] {
            let file = try KeyFile(path)
            if isTaken {
                try file.checkAccess(isSecret: isSecret)
            } else {
                let failure = #expect(throws: Failure.self) { try file.checkAccess(isSecret: isSecret) }
                #expect(failure?.exit == 64 && failure?.hint?.contains("chmod o-") == true)
            }
        }
    }

    @Test("The configuration file is in XDG_CONFIG_HOME if that is absolute, otherwise below ~/.config")
    func path() {
        let home = ["HOME": "/home/ann"]
        #expect(SettingsFile.path(in: home) == "/home/ann/.config/callrunner/config.json")
        let named = home.merging(["XDG_CONFIG_HOME": "/etc/ann"]) { $1 }
        #expect(SettingsFile.path(in: named) == "/etc/ann/callrunner/config.json")
        let relative = home.merging(["XDG_CONFIG_HOME": "ann"]) { $1 }
        #expect(SettingsFile.path(in: relative) == SettingsFile.path(in: home))
        #expect(SettingsFile.path(in: [:]) == nil)
    }

    @Test("The error for an invalid value names the flag, the variable or the file that contains it")
    func errors() throws {
        let read = SettingText.duration
        let flag = #expect(throws: Failure.self) { try settings().value(.duration, "soon", read) }
        #expect(flag?.message.hasPrefix("--duration: ") == true)
        let variable = #expect(throws: Failure.self) {
            try settings(["CALLRUNNER_DURATION": "soon"]).value(.duration, nil, read)
        }
        #expect(variable?.message.hasPrefix("CALLRUNNER_DURATION: ") == true)
        let file = #expect(throws: Failure.self) {
            try settings(file: #"{"duration": "soon"}"#).value(.duration, nil, read)
        }
        #expect(file?.message.hasPrefix("“duration” in /config.json: ") == true)
    }

    @Test("A flag overrides a conflicting setting in the file, and two conflicting flags are an error")
    func exclusion() throws {
        let windowed = try settings(file: #"{"window": true}"#)
        #expect(try windowed.choice(.window, false, .headless, true) == .headless)
        #expect(try windowed.choice(.window, false, .headless, false) == .window)
        #expect(try settings().choice(.window, false, .headless, false) == nil)
        #expect(throws: Failure.self) { try settings().choice(.window, true, .headless, true) }
    }

    @Test("A list of settings hides secrets and names the source of each value")
    func listing() throws {
        let settings = try settings(
            ["CALLRUNNER_TOKEN": "hush", "CALLRUNNER_TURN": "turn:ann:hush@relay"],
            file: #"{"name": "Ann"}"#
        )
        let lines = Setting.allCases.map { SettingLine($0, settings) }
        #expect(lines.allSatisfy { !$0.text.contains("hush") && !"\($0.fields)".contains("hush") })
        #expect(SettingLine(.token, settings).origin == "CALLRUNNER_TOKEN")
        #expect(SettingLine(.name, settings).origin == "/config.json")
        #expect(SettingLine(.source, settings).value == "auto")
    }

    @Test("A list of settings hides secrets in URLs", arguments: [Setting.source, .server, .record, .redis])
    func addresses(setting: Setting) throws {
        let settings = try settings([setting.variable: "rtsp://ann:hush@cam/1?token=hush"])
        let line = SettingLine(setting, settings)
        #expect(!line.text.contains("hush") && !"\(line.fields)".contains("hush"))
        #expect(setting.isSecret || line.text.contains("rtsp://cam/1"))
    }
}
