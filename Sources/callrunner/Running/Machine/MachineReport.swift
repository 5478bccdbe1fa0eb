internal import Basics
internal import FoundationEssentials
internal import Glibc

/// The information about the program, the computer and the settings for a bug report.
enum MachineReport {
    /// Returns the report as lines of text; secrets are hidden.
    static func text(_ settings: Settings, arguments: [String] = CommandLine.arguments) -> String {
        let versions = [Version.line, "kernel \(kernel)", system]
        let given = flags(in: arguments)
        let lines = Setting.allCases.map { SettingLine($0, settings, flags: given[$0] ?? []).text }
        let command = withoutSecrets(arguments).joined(separator: " ")
        return (versions + ["", command, ""] + lines).joined(separator: "\n") + "\n"
    }

    /// Collects the values of the settings that are given as flags.
    static func flags(in arguments: [String]) -> [Setting: [String]] {
        var given: [Setting: [String]] = [:]
        var awaited: Setting?
        for argument in arguments.dropFirst() {
            if let setting = awaited {
                given[setting, default: []].append(argument)
                awaited = nil
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let setting = Setting.allCases.first(where: { $0.flag == parts[0] }) else { continue }
            if parts.count == 2 {
                given[setting, default: []].append(String(parts[1]))
            } else if setting.isTruth {
                given[setting] = ["true"]
            } else {
                awaited = setting
            }
        }
        return given
    }

    private static func withoutSecrets(_ arguments: [String]) -> [String] {
        let secret = Setting.allCases.filter(\.isSecret).map(\.flag)
        var isValue = false
        return arguments.map { argument in
            if isValue {
                isValue = false
                return "(hidden)"
            }
            isValue = secret.contains(argument)
            let flag = secret.first { argument.hasPrefix("\($0)=") }
            return flag.map { "\($0)=(hidden)" }
                ?? (argument.contains("://") ? argument.withoutURLSecrets : argument)
        }
    }

    private static var kernel: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "unknown" }
        return withUnsafeBytes(of: name.release) { release in
            String(decoding: release.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The name of the operating system in /etc/os-release.
    private static var system: String {
        let contents = FileManager.default.contents(atPath: "/etc/os-release") ?? Data()
        let name = String(decoding: contents, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("PRETTY_NAME=")
        }
        return name.map { $0.dropFirst(12).filter { $0 != "\"" } } ?? "unknown system"
    }
}
