internal import AccountsClient
internal import AccountsCore
internal import AppFlow
internal import ArgumentParser
internal import Basics
internal import FoundationEssentials
internal import GLibKit
internal import Glibc
internal import LiveCore

/// The command that shows the user's own profile.
struct AccountShowCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show your profile, as the server stores it."
    )

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let profile = try await program.client.profile()
        if program.surroundings.writesJSON {
            let fields = profile.json["profile_data"]?.objectValue ?? JSONObject()
            await program.surroundings.events.write("account.profile", fields)
        } else {
            for (name, value) in Self.lines(profile, program.base) {
                print(
                    name + String(repeating: " ", count: 10 - name.count)
                        + TerminalText(value).printable
                )
            }
        }
        return .quiet
    }

    /// Returns the lines of a profile on the server with this URL.
    static func lines(_ profile: Profile, _ base: String) -> [(String, String)] {
        let avatar = profile.avatars.normal.map { path in
            path.contains("://") ? path : "\(base)/\(path.trimmingPrefix("/"))"
        }
        let lines: [(String, String?)] = [
            ("name", profile.name), ("username", profile.username), ("phone", profile.phone),
            ("birthday", profile.birthday.map { "\($0), \(ZodiacSign($0))" }), ("city", profile.city),
            ("about", profile.about), ("vk", profile.vk), ("instagram", profile.instagram),
            ("avatar", avatar),
        ]
        return lines.compactMap { name, value in value.map { (name, $0) } }
    }
}

/// The command that changes the user's own profile.
struct AccountEditCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change your profile; an empty text removes a field."
    )

    @Option(help: ArgumentHelp("Your name.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Your city.", valueName: "text"))
    var city: String?

    @Option(help: ArgumentHelp("Your birthday, as in 1990-05-01.", valueName: "date"))
    var birthday: String?

    @Option(help: ArgumentHelp("A text about you.", valueName: "text"))
    var about: String?

    @Option(help: ArgumentHelp("Your page at VK.", valueName: "text"))
    var vk: String?

    @Option(help: ArgumentHelp("Your page at Instagram.", valueName: "text"))
    var instagram: String?

    @Option(help: ArgumentHelp("Picture in JPEG, PNG or WebP, of 5 MB at most.", valueName: "file"))
    var avatar: String?

    @Flag(help: "Remove the picture.")
    var noAvatar = false

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let change = try change()
        guard !change.isEmpty else {
            throw Failure.usage("there is nothing to change", hint: "give --name, --city or another flag")
        }
        let before = try await program.client.profile()
        let after = try await program.client.change(before, by: change)
        await program.surroundings.events.write(
            "account.profile",
            after.json["profile_data"]?.objectValue ?? JSONObject()
        )
        return .said("the profile is changed")
    }

    /// Creates the change from the flags.
    ///
    /// - Throws: `Failure` with exit code 64.
    func change() throws(Failure) -> ProfileChange {
        var change = ProfileChange()
        func text(_ flag: String, _ text: String?, _ field: AccountRules.TextField) throws(Failure) -> String?
        {
            guard let text else { return nil }
            return try AccountText.value(flag, text) { (text) throws(AccountRules.Problem) in
                try AccountRules.text(text, of: field)
            }
        }
        change.name = try text("--name", name, .name)
        change.city = try text("--city", city, .city)
        change.about = try text("--about", about, .status)
        change.vk = try text("--vk", vk, .vk)
        change.instagram = try text("--instagram", instagram, .instagram)
        if let birthday {
            change.birthday = try birthday.isEmpty ? .some(nil) : .some(Self.day(birthday))
        }
        guard avatar == nil || !noAvatar else {
            throw .usage("--avatar and --no-avatar cannot be used together", hint: "give one of them")
        }
        if let avatar { change.avatar = try Self.picture(avatar) }
        if noAvatar { change.avatar = .removed }
        return change
    }

    private static func day(_ text: String) throws(Failure) -> CalendarDay {
        try AccountText.value("--birthday", text) { (text) throws(AccountRules.Problem) in
            guard let today = CalendarDay(of: .now) else { throw .range }
            return try AccountRules.birthday(text, today: today)
        }
    }

    private static func picture(_ path: String) throws(Failure) -> ProfileChange.Avatar {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .usage(
                "--avatar: “\(path)” cannot be read: \(String(cString: strerror(errno)))",
                hint: "check the path of the picture"
            )
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= AccountRules.maximumPicture {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 else {
                throw .usage(
                    "--avatar: “\(path)” cannot be read: \(String(cString: strerror(errno)))",
                    hint: "check the path of the picture"
                )
            }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= AccountRules.maximumPicture else {
            throw .usage("--avatar: “\(path)” has more than 5 MB", hint: "choose a smaller picture")
        }
        guard !bytes.isEmpty else { throw .usage("--avatar: “\(path)” is empty") }
        guard PictureHeader(bytes) != nil else {
            throw .usage("--avatar: “\(path)” is not a picture", hint: "give a JPEG, PNG or WebP file")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return .picture(name: name.printable(limit: 255), bytes: bytes)
    }
}

/// The command that lists the user's sessions, or ends one of them.
struct AccountSessionsCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List where you are signed in, or end one of these sessions."
    )

    @Option(help: ArgumentHelp("Session to end, by its ID.", valueName: "id"))
    var end: String?

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        if let end {
            do throws(AccountFailure) { try await program.client.end(end) } catch {
                guard error.reason == .notFound else { throw error }
                throw Failure(
                    code: "not-found",
                    message: error.message,
                    hint: "take the ID from `\(program.command("sessions"))`",
                    exit: 4
                )
            }
            return .said("the session is ended")
        }
        for session in try await program.client.signIns() {
            if program.surroundings.writesJSON {
                await program.surroundings.events.write("account.session", Self.fields(session))
            } else {
                let time = session.last?.description ?? ""
                let mark = session.isCurrent ? "  (this one)" : ""
                print("\(session.id)  \(time)  \(TerminalText(session.device).printable)\(mark)")
            }
        }
        return .quiet
    }

    private static func fields(_ session: SignIn) -> JSONObject {
        [
            "id": .string(session.id), "device": .string(session.device),
            "created": session.created.map { .string($0.description) } ?? .null,
            "last": session.last.map { .string($0.description) } ?? .null,
            "current": .bool(session.isCurrent),
        ]
    }
}

/// The command that refreshes the tokens.
struct AccountRefreshCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Refresh the tokens now; usually this happens automatically."
    )

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        try await program.client.session.refresh()
        return .said("refreshed")
    }
}

/// The command that prints an access token.
struct AccountTokenCommand: AccountAction {
    static let writesEvents = false
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print an access token that is valid now, and nothing else."
    )

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let session = program.client.session
        var token = try await session.accessToken()
        // The token must remain valid for some time after it is printed.
        if let expiry = AccountTokens.expiry(of: token),
            expiry - Date.now.timeIntervalSince1970 < TokenMachine.reserve / .seconds(1)
        {
            try await session.refresh()
            token = try await session.accessToken()
        }
        print(token.value)
        return .quiet
    }
}

/// The command that saves all data that the server has about the user.
struct AccountExportCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Save all data that the server stores about you, as JSON."
    )

    @Argument(help: ArgumentHelp("File to create.", valueName: "file"))
    var file: String

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let watch = InterruptionWatch()
        let (console, events) = (program.surroundings.console, program.surroundings.events)
        return try await watch.during(console, events) {
            try await withThrowingTaskGroup { group in
                defer { group.cancelAll() }
                // When cancelled, it removes its incomplete file.
                group.addTask { try await save(program) }
                group.addTask {
                    for await interruption in watch.store.states {
                        if let code = interruption?.exit { return .interrupted(code) }
                    }
                    throw CancellationError()
                }
                return try await group.next() ?? .quiet
            }
        }
    }

    private func save(_ program: AccountProgram) async throws -> AccountProgram.Success {
        guard access(file, F_OK) != 0 else { throw Self.failure(file, FileMove.Failure.taken.reason) }
        // Created first, so that the data is not loaded in vain.
        let part = "\(file).\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(file, String(cString: strerror(errno))) }
        close(descriptor)
        defer { unlink(part) }
        try await program.client.export(to: part)
        do throws(FileMove.Failure) { try FileMove.move(part, to: file, isSynced: true) } catch {
            throw Self.failure(file, error.reason)
        }
        return .said("saved as \(file)")
    }

    private static func failure(_ file: String, _ reason: String) -> Failure {
        Failure(
            code: "file",
            message: "“\(file)” cannot be written: \(reason)",
            hint: "give the name of a new file in a folder that you can write",
            exit: RunStatus.recordingFailed.rawValue
        )
    }
}

/// The command that deletes the account.
struct AccountDeleteCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete your account, and all data that the server stores about you.",
        discussion: """
            Without --code, a code is sent to your phone, and asked for on the terminal.
            Deletion cannot be undone.
            """
    )

    @Option(help: ArgumentHelp("Code that was sent to the phone.", valueName: "digits"))
    var code: String?

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let entered = try code.map { text throws(Failure) in try AccountText.code(text) }
        if let entered {
            try await program.client.delete(code: entered)
        } else {
            let phone = try await program.client.profile().phone
            try await program.sendCode(to: phone)
            let question = "to delete the account, enter the code that was sent to \(phone):"
            let isDone: Void? = try await program.askForCode(question) { code throws(AccountFailure) in
                try await program.client.delete(code: code)
            }
            guard isDone != nil else { return AccountProgram.codeSent }
        }
        try await program.forgetUser()
        return .said("the account is deleted")
    }
}
