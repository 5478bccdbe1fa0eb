internal import AccountsServer
internal import ArgumentParser
internal import Basics
internal import HTTPFront
internal import Logging
internal import ServerStore
internal import SignalingServer

/// The accounts of a server, or the reason why it has none.
enum ServedAccounts {
    case on(Accounts, folder: String, testCode: String?)
    /// Accounts are off for a reason; nil if the user disabled them.
    case off(Reason?)

    /// The reason why accounts cannot run: the cause as a clause, and a hint with the remedy.
    struct Reason: Hashable {
        let cause: String
        var hint: String?

        var sentence: String { hint.map { "\(cause); \($0)" } ?? cause }
    }

    /// The time in seconds for which a client that joined with an access token may use TURN servers, because a call may
    /// outlast the token.
    private static let longestCall = 86_400
    /// The name of the file with the secret that signs access tokens.
    private static let keyFile = "access.key"

    /// Opens the database, and prepares the service.
    ///
    /// - Throws: `Failure` with exit code 64 if a flag is wrong, or if accounts were requested by name and cannot run.
    static func open(
        _ flags: AccountsFlags,
        _ surroundings: Surroundings,
        _ server: ServerConfiguration,
        _ store: ServedStore,
        logger: Logger
    ) async throws(Failure) -> ServedAccounts {
        let settings = surroundings.settings
        let named = try flags.named(settings)
        let isWanted = named?.contains(.accounts) ?? true
        let (code, program) = (
            try flags.code(settings), try AccountsFlags.program(settings, flags.smsCommand)
        )
        let access = try flags.lifetime(.accessTTL, flags.accessTtl, settings)
        let refresh = try flags.lifetime(.refreshTTL, flags.refreshTtl, settings)
        let keyFile = try settings.value(.jwtKey, flags.jwtKey, KeyFile.init)
        let keyOfUser: TokenKey? = if let keyFile { try await TokenKey(keyFile) } else { nil }
        if let keyFile, keyOfUser?.isSecret == false {
            throw .usage("“\(keyFile.path)” is a public key, which cannot sign", hint: "give the private key")
        }
        let isLocal = server.isOnlyLocal
        guard code == nil || isLocal else {
            throw .usage(
                "--auth-code would let everybody sign in as anybody, because other machines reach this server",
                hint: "send codes with --sms-command PROGRAM"
            )
        }
        guard code == nil || program == nil else {
            throw .usage("--auth-code and --sms-command cannot be used together", hint: "give one of them")
        }
        guard isWanted else { return .off(nil) }
        func off(_ reason: String, hint: String) throws(Failure) -> ServedAccounts {
            guard named == nil else { throw .usage("accounts cannot run: \(reason)", hint: hint) }
            return .off(Reason(cause: reason, hint: hint))
        }
        guard server.cluster == nil else {
            return try off(
                "servers that share rooms by --redis have no common database",
                hint: "run one server without --redis for accounts"
            )
        }
        // A system service may be reachable through a proxy that the settings do not mention.
        let usual = surroundings.environment["STATE_DIRECTORY"] == nil ? AccountsFlags.testCode : nil
        let testCode = program == nil && isLocal ? code ?? usual : nil
        guard
            let delivery: any CodeDelivery = program.map({ SMSCommand($0) }) ?? testCode.map({ TestCode($0) })
        else {
            return try off(
                "there is no program that sends codes to phones",
                hint: "give one with --sms-command"
            )
        }
        guard let folder = store.folder else {
            return try off("there is no folder for their data", hint: "give one with --data, or set HOME")
        }
        do throws(ServerStoreFailure) {
            let database = try await store.database()
            let key = if let keyOfUser { keyOfUser } else { try await key(in: folder) }
            var configuration = AccountsConfiguration(key: key, delivery: delivery)
            configuration.accessLifetime = access
            configuration.refreshLifetime = refresh
            let accounts = Accounts(configuration, database, logger: logger)
            return .on(accounts, folder: folder.path, testCode: testCode)
        } catch {
            return try off(error.message, hint: error.hint)
        }
    }

    /// Reads the key from the folder, and creates it at the first start.
    private static func key(in folder: ServerFolder) async throws(ServerStoreFailure) -> TokenKey {
        if try folder.secret(keyFile) == nil {
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            try folder.create(keyFile, Array(Base64.encode(bytes).utf8))
        }
        let bytes = try folder.secret(keyFile) ?? []
        do throws(TokenKeyError) {
            return try await TokenKey(bytes)
        } catch {
            throw .unusable(folder.path(keyFile), "\(error)")
        }
    }

    /// The sign-in code that all users share; nil if there is none.
    var testCode: String? { if case .on(_, _, let code) = self { code } else { nil } }

    /// The reason why accounts are off; nil if they are on, or if the user disabled them.
    var reason: Reason? { if case .off(let reason) = self { reason } else { nil } }

    /// Creates the service; exports contain `parts`, the data of other services.
    func service(exporting parts: [any ExportPart], _ logger: Logger) -> AccountsService? {
        guard case .on(let accounts, _, _) = self else { return nil }
        return AccountsService(accounts, exporting: parts, logger: logger)
    }

    /// The check that lets clients join rooms with access tokens; nil if all users share a sign-in code, with which
    /// anyone could get such a token.
    var passCheck: RoomPass.Check? {
        guard case .on(let accounts, _, nil) = self else { return nil }
        return { token in
            await accounts.holder(ofAccessToken: token).map { user in
                RoomPass(subject: "account \(user)", expiry: WallClock.seconds + Self.longestCall)
            }
        }
    }

    /// Reports to the user whether accounts are on; warns if they are off for a reason.
    func announce(_ front: ServerFront) {
        switch self {
        case .on(_, let folder, let testCode):
            front.say("accounts: data in \(folder)\(testCode.map { "; everybody's code is \($0)" } ?? "")")
        case .off(let reason?): front.warn("accounts are off: \(reason.sentence)")
        case .off(nil): break
        }
    }
}

extension ServerConfiguration {
    /// Whether only this computer can reach the server, as far as the settings show.
    var isOnlyLocal: Bool {
        let access = AccessPolicy(host: host, origins: origin, publicHosts: publicHosts)
        return access.answersOnlyThisComputer && trustedProxies.isEmpty
    }
}
