internal import AccountsCore
internal import ArgumentParser
internal import Basics
internal import GLibKit
internal import Glibc
internal import ServerStore

/// The flags for the services of a server that store data: accounts and chat.
struct AccountsFlags: ParsableArguments {
    /// A service that stores data.
    enum Service: String, CaseIterable {
        case accounts, chat
    }

    @Option(
        help: ArgumentHelp(
            "Services to offer besides calls, separated by commas: accounts, chat, or none; if a named one cannot run, the server does not start",
            .services,
            "list",
            otherwise: "those that can run"
        )
    )
    var services: String?

    @Option(
        help: ArgumentHelp(
            "Folder with the data of accounts and chat",
            .data,
            "folder",
            otherwise: "$XDG_DATA_HOME/callrunner/server"
        )
    )
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The code with which everybody signs in, for tests; only for a server that no other machine reaches",
            .authCode,
            "digits",
            otherwise: "133337 on loopback"
        )
    )
    var authCode: String?

    @Option(
        help: ArgumentHelp(
            "Program that sends codes to phones; its argument is the number, its standard input the text",
            .smsCommand,
            "program"
        )
    )
    var smsCommand: String?

    @Option(
        help: ArgumentHelp(
            "Secret or P-256 private key that signs access tokens",
            .jwtKey,
            "file",
            otherwise: "a secret made at the first start"
        )
    )
    var jwtKey: String?

    @Option(help: ArgumentHelp("Lifetime of access tokens", .accessTTL, "duration"))
    var accessTtl: String?

    @Option(help: ArgumentHelp("Lifetime of refresh tokens", .refreshTTL, "duration"))
    var refreshTtl: String?

    @Option(
        help: ArgumentHelp(
            "Time after which the simulated people of the chat reply; 0 for at once",
            .replyDelay,
            "duration",
            otherwise: "0.6 to 1.5 s"
        )
    )
    var replyDelay: String?

    @Flag(help: "Let the simulated people of the chat talk to clients on other machines too.")
    var demoPeople = false

    @Option(
        help: ArgumentHelp(
            "Copy the database to a new file, and exit; the server that uses it may be running.",
            valueName: "file"
        )
    )
    var backup: String?

    /// The default sign-in code of all users on a server that only its own computer can reach.
    static let testCode = "133337"

    /// Reads the names of the requested services; nil to offer all services that can run.
    ///
    /// - Throws: `Failure` with exit code 64.
    func named(_ settings: Settings) throws(Failure) -> Set<Service>? {
        try settings.value(.services, services) { text in
            guard text != "none" else { return [] }
            let names = text.split(separator: ",").map {
                String(VisibleText.trimmed(String($0).unicodeScalars))
            }
            return Set(
                try names.map { name in
                    guard let service = Service(rawValue: name) else {
                        throw SettingText.Problem("“\(name)” is not a service; write accounts, chat, or none")
                    }
                    return service
                }
            )
        }
    }

    /// Returns the data folder: the given one, or the default; nil if there is no default.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func folder(_ settings: Settings, _ data: String?) throws(Failure) -> ServerFolder? {
        let named = try settings.value(.data, data) { text in
            guard !text.isEmpty else { throw SettingText.Problem("the name of the folder is empty") }
            return ServerFolder(absolute(text))
        }
        return named ?? ServerFolder.usual(settings.environment)
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    func code(_ settings: Settings) throws(Failure) -> String? {
        try settings.value(.authCode, authCode) { text in
            do throws(AccountRules.Problem) { return try AccountRules.code(text) } catch {
                throw SettingText.Problem("“\(text)” is not a code; write six digits")
            }
        }
    }

    /// Reads the path of the program that sends codes, which must be executable.
    ///
    /// - Throws: `Failure` with exit code 64.
    static func program(_ settings: Settings, _ smsCommand: String?) throws(Failure) -> String? {
        try settings.value(.smsCommand, smsCommand) { text in
            let path = absolute(text)
            guard FileStatus(path: path)?.isRegularFile == true, access(path, X_OK) == 0 else {
                throw SettingText.Problem("“\(text)” cannot be run; give the path of an executable file")
            }
            return path
        }
    }

    /// Reads a lifetime between one second and ten years.
    ///
    /// - Throws: `Failure` with exit code 64.
    func lifetime(
        _ setting: Setting,
        _ flag: String?,
        _ settings: Settings
    ) throws(Failure) -> Duration {
        let lifetime = try settings.required(setting, flag, SettingText.duration)
        guard lifetime >= .seconds(1), lifetime <= .seconds(10 * 365 * 86_400) else {
            throw .usage("\(setting.flag) must be between one second and ten years")
        }
        return lifetime
    }
}
