internal import AccountsClient
internal import AccountsCore
internal import AppFlow
internal import Basics
internal import DesktopKit
internal import GLibKit
internal import Glibc
internal import SoupKit
internal import UserStore

/// A run of a command for the user's account.
struct AccountProgram {
    /// The result of a command whose tokens were stored.
    enum Success {
        /// Nothing more is to be said.
        case quiet
        /// A sentence for the user.
        case said(String)
    }

    let client: AccountClient
    let store: SecretTokenStore
    let surroundings: Surroundings
    /// The URL of the API.
    let base: String

    /// Calls `body` with the account on a server, and reports what becomes of the session.
    ///
    /// The events are not written without `writesEvents`.
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
        let http = HTTPClient(trust: trust)
        let environment = surroundings.environment
        let store = SecretTokenStore(
            base,
            folder: .configuration(environment),
            keyring: { await SecretService(environment) },
            warn: { surroundings.console.say("warning: \($0)", .emphasis) }
        )
        let transport = HTTPAccountTransport(base, device: Self.device, client: http)
        let session = AccountSession(transport, store)
        let client = AccountClient(session, transport)
        let program = AccountProgram(client: client, store: store, surroundings: surroundings, base: base)
        async let problem = program.report(session.events, writesEvents: writesEvents)
        let result = await withTaskGroup { group in
            group.addTask { await session.run() }
            let result = await program.result(body)
            group.cancelAll()
            return result
        }
        await http.close()
        let storeProblem = await problem
        let success = try result.get()
        if let storeProblem { throw storeFailure(storeProblem) }
        if case .said(let sentence) = success { surroundings.console.say(sentence, .good) }
        return 0
    }

    private static func storeFailure(_ failure: StoreFailure) -> Failure {
        Failure(
            code: "store",
            message: failure.message,
            hint: failure.hint,
            exit: RunStatus.recordingFailed.rawValue
        )
    }

    /// Deletes what the app knows of the user.
    ///
    /// - Throws: `StoreFailure`.
    func forgetUser() async throws {
        let archive = AccountArchive(base, environment: surroundings.environment) { [surroundings] in
            surroundings.console.say("warning: \($0)", .emphasis)
        }
        if await archive.known() != nil { try await archive.keep(nil) }
    }

    private func result(
        _ body: (AccountProgram) async throws -> Success
    ) async -> Result<Success, any Error> {
        do { return .success(try await body(self)) } catch let failure as AccountFailure {
            return .failure(Self.failure(failure, base))
        } catch let failure as StoreFailure {
            return .failure(Self.storeFailure(failure))
        } catch { return .failure(error) }
    }

    /// Reports what becomes of the session, until it ends; returns the last problem of the store.
    private func report(
        _ events: AsyncStream<AccountSession.Event>,
        writesEvents: Bool
    ) async -> StoreFailure? {
        var problem: StoreFailure?
        for await event in events {
            if case .storeFailed(let failure) = event { problem = failure }
            if writesEvents, let (name, fields) = event.json { await surroundings.events.write(name, fields) }
        }
        return problem
    }

    private static func failure(_ failure: AccountFailure, _ base: String) -> Failure {
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
                "store", "try again when that is possible", RunStatus.recordingFailed.rawValue
            )
        case .signedOut:
            (code, hint) = (
                "signed-out", "for \(base) sign in with `callrunner account login --phone NUMBER`"
            )
        case .forbidden:
            (code, hint) = (
                "forbidden",
                "for a fresh code run `callrunner account login` or `delete` without --code; "
                    + "it is valid for five minutes"
            )
        case .notFound:
            (code, hint) = (
                "not-found", "check the code or the ID, and that \(base) offers accounts"
            )
        case .invalid: (code, hint) = ("invalid", "correct what the message names")
        case .tooLarge: (code, hint) = ("too-large", "choose a smaller picture")
        case .tooMany:
            let wait = failure.wait.map { " in \(DurationText($0))" } ?? " later"
            (code, hint) = ("too-many", "try again\(wait)")
        case .refused: (code, hint) = ("refused", "check that \(base) offers accounts")
        }
        let fields = failure.fields.filter { !$0.field.isEmpty }.map { "\($0.field): \($0.message)" }
        let message = fields.isEmpty ? failure.message : fields.joined(separator: "; ")
        return Failure(code: code, message: message, hint: hint, exit: exit)
    }

    /// The description of this program and computer.
    static var device: String {
        var name = [CChar](repeating: 0, count: 65)
        let host = gethostname(&name, name.count - 1) == 0 ? name.prefix { $0 != 0 } : []
        let text = String(decoding: host.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "callrunner \(Version.number) on \(text.isEmpty ? "Linux" : text)".printable(limit: 100)
    }

    /// The result of a command that has sent a code, but cannot ask for it.
    static let codeSent = Success.said("a code was sent; give it with --code within five minutes")

    /// Whether the server is on this computer.
    var isLocal: Bool { URLParts(base)?.isLoopback ?? false }

    /// Asks for a code on the terminal, and uses it; up to three times while it is wrong.
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
                surroundings.console.say("that is no code of six digits", .failure, from: .quiet)
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

extension AccountSession.Event {
    /// The event for scripts, without a token; nil if they are not told.
    var json: (name: String, fields: JSONObject)? {
        switch self {
        case .signedIn(let user): ("account.signed_in", ["user": .int(user)])
        case .refreshed: ("account.refreshed", [:])
        case .signedOut(nil): ("account.signed_out", ["reason": "logout"])
        case .signedOut(let failure?):
            ("account.signed_out", ["reason": "refused", "message": .string(failure.message)])
        case .storeFailed: nil
        }
    }
}
