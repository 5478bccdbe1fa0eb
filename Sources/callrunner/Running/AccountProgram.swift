internal import AccountsClient
internal import AccountsCore
internal import AppFlow
internal import Basics
internal import GLibKit
internal import Glibc
internal import UserStore

/// A run of a command for the user's account.
struct AccountProgram {
    /// The result of a successful command.
    enum Success {
        /// There is no message for the user.
        case quiet
        /// A message for the user, in one sentence.
        case said(String)
        /// The user has ended the command by a signal; the value is the exit code.
        case interrupted(Int32)
    }

    let connection: AccountConnection
    let trust: TLSAuthorities
    let surroundings: Surroundings
    /// The value of the flag `--api`; nil without that flag.
    let api: String?

    var client: AccountClient { connection.client }
    var store: SecretTokenStore { connection.store }
    var base: String { connection.base }
    var isLocal: Bool { connection.isLocal }

    /// Calls `body` with the account on a server, and reports the events of the session.
    ///
    /// Without `writesEvents`, the events are not written to standard output.
    ///
    /// - Throws: `Failure`, also if tokens could not be stored or deleted.
    static func run(
        _ flags: AccountFlags,
        _ surroundings: Surroundings,
        writesEvents: Bool = true,
        _ body: (AccountProgram) async throws -> Success
    ) async throws -> Int32 {
        let settings = surroundings.settings
        let base = try flags.base(settings)
        let trust = try flags.trust.authorities(settings)
        let (storeProblem, result) = await AccountConnection.with(base, trust, surroundings) { events in
            await report(events, to: writesEvents ? surroundings.events : nil)
        } _: { connection in
            await AccountProgram(
                connection: connection,
                trust: trust,
                surroundings: surroundings,
                api: flags.api
            ).result(body)
        }
        let success = try result.get()
        if let storeProblem { throw storeFailure(storeProblem) }
        switch success {
        case .quiet: return 0
        case .said(let sentence):
            surroundings.console.say(sentence, .good)
            return 0
        case .interrupted(let code): return code
        }
    }

    private static func storeFailure(_ failure: StoreFailure) -> Failure {
        Failure(
            code: "store",
            message: failure.message,
            hint: failure.hint,
            exit: RunStatus.recordingFailed.rawValue
        )
    }

    /// Returns the command line with which the user can run another account command on the same server.
    func command(_ words: String) -> String { Self.command(words, api) }

    private static func command(_ words: String, _ api: String?) -> String {
        "callrunner account \(words)" + (api.map { " --api \($0.withoutURLSecrets)" } ?? "")
    }

    /// Sends a code to a phone.
    ///
    /// - Throws: `AccountFailure`; after too many requests, its message says that no code was sent.
    func sendCode(to phone: String) async throws(AccountFailure) {
        do throws(AccountFailure) { try await client.sendCode(to: phone) } catch {
            var failure = error
            if error.reason == .tooMany { failure.message = "no code was sent to \(phone): \(error.message)" }
            throw failure
        }
    }

    /// Deletes the copy of the user's profile that the app has stored on this computer.
    ///
    /// - Throws: `StoreFailure`.
    func forgetUser() async throws {
        let archive = connection.archive
        if await archive.known() != nil { try await archive.keep(nil) }
    }

    private func result(
        _ body: (AccountProgram) async throws -> Success
    ) async -> Result<Success, any Error> {
        do { return .success(try await body(self)) } catch let failure as AccountFailure {
            return .failure(await Self.explained(failure, base, trust, api))
        } catch let failure as StoreFailure {
            return .failure(Self.storeFailure(failure))
        } catch { return .failure(error) }
    }

    /// Writes the events of the session until they end; returns the last failure of the token store, if any.
    private static func report(
        _ events: AsyncStream<AccountSession.Event>,
        to writer: EventWriter?
    ) async -> StoreFailure? {
        var problem: StoreFailure?
        for await event in events {
            if case .storeFailed(let failure) = event { problem = failure }
            if let writer, let (name, fields) = event.json { await writer.write(name, fields) }
        }
        return problem
    }

    /// Creates the failure of a request; if the server gave no reason, probes which program listens there.
    private static func explained(
        _ failure: AccountFailure,
        _ base: String,
        _ trust: TLSAuthorities,
        _ api: String?
    ) async -> Failure {
        var failure = failure
        switch failure.reason {
        case .notFound, .noAccounts, .refused, .serverFailed:
            // A server with accounts states in its message what it does not find.
            guard failure.status != nil || failure.reason == .noAccounts else { break }
            let isAsked = ServerProbe.isHere(base) || failure.reason == .notFound
            let probe = isAsked ? await ServerProbe(base, trust: trust) : nil
            if let foreign = probe?.failure(ofClientOf: base, flag: "--api") { return foreign }
            guard let status = failure.status, [404, 405, 501].contains(status) else { break }
            if failure.reason == .notFound, probe != .callrunner { break }
            failure.reason = .noAccounts
            failure.message = "the server has no accounts: \(failure.message)"
        case .untrusted, .unreachable, .timedOut, .storeUnavailable, .signedOut, .forbidden, .invalid,
            .tooLarge,
            .tooMany:
            break
        }
        return Self.failure(failure, base, api)
    }

    private static func failure(_ failure: AccountFailure, _ base: String, _ api: String?) -> Failure {
        let code: String
        let hint: String
        var exit: Int32 = 4
        switch failure.reason {
        case .untrusted:
            (code, hint, exit) = (
                "tls", "trust its certificate with --cacert FILE, or any with --insecure", 2
            )
        case .unreachable:
            (code, hint, exit) = ("unreachable", "check that \(base) runs and offers accounts", 2)
        case .timedOut: (code, hint, exit) = ("timeout", "try again later", 2)
        case .serverFailed: (code, hint, exit) = ("server-failed", "try again later", 2)
        case .storeUnavailable:
            (code, hint, exit) = (
                "store", "solve this problem, then try again", RunStatus.recordingFailed.rawValue
            )
        case .signedOut:
            (code, hint) = (
                "signed-out", "for \(base) sign in with `\(command("login --phone NUMBER", api))`"
            )
        case .forbidden:
            (code, hint) = (
                "forbidden",
                "to get a fresh code, run `\(command("login", api))` or `delete` without --code; "
                    + "a code is valid for five minutes"
            )
        case .notFound:
            (code, hint) = (
                "not-found", "ask for another code by running the command without --code"
            )
        case .invalid: (code, hint) = ("invalid", "correct the field that the message names")
        case .tooLarge: (code, hint) = ("too-large", "choose a smaller picture")
        case .tooMany:
            let wait = failure.wait.map { " in \(DurationText($0))" } ?? " later"
            (code, hint) = ("too-many", "try again\(wait)")
        case .noAccounts:
            (code, hint) = (
                "no-accounts", "name a server with accounts, or start one with `callrunner serve`"
            )
        case .refused: (code, hint) = ("refused", "check that \(base) offers accounts")
        }
        let fields = failure.fields.filter { !$0.field.isEmpty }.map { "\($0.field): \($0.message)" }
        let message = fields.isEmpty ? failure.message : fields.joined(separator: "; ")
        return Failure(code: code, message: message, hint: hint, exit: exit)
    }

    /// The result of a command that has sent a code, but has no terminal to ask for it.
    static let codeSent = Success.said("a code was sent; give it with --code within five minutes")

    /// Asks for a code on the terminal and passes it to `use`; asks again if the code is wrong, three times in all.
    ///
    /// - Returns: The result of `use`; nil if there is no terminal.
    /// - Throws: `AccountFailure`, or `Failure` if no code is entered.
    func askForCode<Result>(
        _ question: String,
        _ use: (String) async throws(AccountFailure) -> Result
    ) async throws -> Result? {
        guard isatty(STDIN_FILENO) != 0 else { return nil }
        var lastFailure: AccountFailure?
        for _ in 0..<Self.triesOnTerminal {
            guard let answer = await ask(lastFailure == nil ? question : "enter it again:") else { break }
            do {
                return try await use(AccountText.code(answer))
            } catch let failure as AccountFailure where [.notFound, .forbidden].contains(failure.reason) {
                surroundings.console.say(failure.message, .failure, from: .quiet)
                lastFailure = failure
            } catch is Failure {
                surroundings.console.say("the code must have six digits", .failure, from: .quiet)
            }
        }
        if let lastFailure { throw lastFailure }
        throw Failure(code: "code-needed", message: "no code was entered", hint: nil, exit: 4)
    }

    private static let triesOnTerminal = 3

    /// Asks a question on the terminal; nil if nothing is entered.
    private func ask(_ question: String) async -> String? {
        surroundings.console.say(question, from: .quiet)
        let input = await DescriptorInput(STDIN_FILENO)
        // A terminal delivers whole lines.
        let line = (try? await input.read()) ?? []
        let text = VisibleText.trimmed(String(decoding: line, as: UTF8.self).unicodeScalars)
        return text.isEmpty ? nil : text
    }
}
