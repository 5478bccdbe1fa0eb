internal import AccountsClient
internal import AccountsCore
internal import ArgumentParser
internal import Basics
internal import PhoneKit

/// The commands for the user's account on a server.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Sign in with a phone, and manage your profile.",
        discussion: """
            Tokens are kept in the desktop's keyring if there is one, else in a file that
            only you can read. They are refreshed when needed, even if several programs
            use them at once.

            EXAMPLES
              callrunner account login --phone +79219999999
              callrunner account register --name Ann --username ann
              callrunner account edit --city Kyiv --birthday 1990-05-01 --avatar me.jpg
              curl -H "Authorization: Bearer $(callrunner account token)" …
            """,
        subcommands: [
            AccountLoginCommand.self, AccountRegisterCommand.self, AccountShowCommand.self,
            AccountEditCommand.self, AccountSessionsCommand.self, AccountRefreshCommand.self,
            AccountTokenCommand.self, AccountExportCommand.self, AccountDeleteCommand.self,
            AccountLogoutCommand.self,
        ]
    )
}

/// The command that signs a user in with a phone and a code.
struct AccountLoginCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in with a phone and the code that is sent to it.",
        discussion: """
            Without --code, a code is sent, and asked for on the terminal. Without a
            terminal, the command ends there; give the code with --code in a second call.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Number as in +79219999999, or as it is dialed in your country; required.",
            valueName: "number"
        )
    )
    var phone: String?

    @Option(help: ArgumentHelp("Code that was sent to the phone.", valueName: "digits"))
    var code: String?

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let phone = try AccountText.phone(phone, in: .likely(program.surroundings.environment))
        let entered = try code.map { text throws(Failure) in try AccountText.code(text) }
        guard let check = try await Self.check(entered, phone, program) else {
            await program.surroundings.events.write("account.code_sent", ["phone": .string(phone)])
            return AccountProgram.codeSent
        }
        guard case .unknown(let token) = check else { return .said("signed in at \(program.base)") }
        try await program.store.keep(.init(phone: phone, token: token))
        throw Failure(
            code: "not-registered",
            message: "the code is right, but nobody has registered with this phone",
            hint: "register within ten minutes: \(program.command("register --name NAME --username NAME"))",
            exit: 4
        )
    }

    /// Checks the given code or, without one, sends a code to the phone and asks for it; nil if there is no terminal.
    private static func check(
        _ code: String?,
        _ phone: String,
        _ program: AccountProgram
    ) async throws -> CodeCheck? {
        guard let code else {
            try await program.sendCode(to: phone)
            let question = "a code was sent to \(phone); enter it:"
            return try await program.askForCode(question) { code throws(AccountFailure) in
                try await program.client.check(code, of: phone)
            }
        }
        do throws(AccountFailure) { return try await program.client.check(code, of: phone) } catch {
            // A test server accepts its code only after one was requested; on other servers, a request would invalidate
            // the right code.
            guard error.reason == .notFound, program.isLocal else { throw error }
            do throws(AccountFailure) { try await program.sendCode(to: phone) } catch let refusal {
                // If a code was sent a moment ago, the given code differs from it.
                throw refusal.reason == .tooMany ? error : refusal
            }
        }
        return try await program.client.check(code, of: phone)
    }
}

/// The command that registers a user.
struct AccountRegisterCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register with the phone that `callrunner account login` has verified."
    )

    @Option(help: ArgumentHelp("Your name; required.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Name for others to find you: 3 to 32 letters, digits, _ and -; required.",
            valueName: "name"
        )
    )
    var username: String?

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let name = try AccountText.required("--name", name) { (text) throws(AccountRules.Problem) in
            try AccountRules.text(text, of: .name)
        }
        let username = try AccountText.required("--username", username, AccountRules.username)
        guard let registration = try await program.store.registration() else {
            throw Failure(
                code: "phone-needed",
                message: "no phone was verified",
                hint: "verify it first: \(program.command("login --phone NUMBER"))",
                exit: 4
            )
        }
        try await program.client.register(
            registration.phone,
            name: name,
            username: username,
            token: registration.token
        )
        // The server has deleted the verification as well.
        try? await program.store.forgetRegistration()
        return .said("registered and signed in at \(program.base)")
    }
}

/// The command that ends the session on this computer.
struct AccountLogoutCommand: AccountAction {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out here; other devices stay signed in."
    )

    @OptionGroup(title: "Server") var server: AccountFlags
    @OptionGroup(title: "Output") var output: OutputFlags

    func perform(_ program: AccountProgram) async throws -> AccountProgram.Success {
        let client = program.client
        try? await client.session.load()
        let wasSignedIn = await client.session.user != nil
        if wasSignedIn { await client.signOut() } else { await client.session.signOut() }
        try await program.forgetUser()
        try? await program.store.forgetRegistration()
        guard wasSignedIn else { throw AccountFailure(.signedOut, "you were not signed in") }
        return .said("signed out at \(program.base)")
    }
}
