internal import AccountsCore
internal import AccountsServer
internal import Basics
internal import ChatCore
internal import ChatServer
internal import HTTPFront
internal import Logging
internal import ServerStore
internal import SignalingServer

/// The chat of a server, or the reason why it has none.
enum ServedChat {
    case on(ChatWebService, isOpen: Bool)
    /// The chat is off for the reason in the sentence; nil if the user disabled it.
    case off(String?)

    /// The name of the folder for files that users have sent, within the data folder.
    private static let mediaFolder = "chat-media"

    /// Opens the database, and prepares the service.
    ///
    /// - Throws: `Failure` with exit code 64 if a flag is wrong, or if the chat was requested by name and cannot run.
    static func open(
        _ flags: AccountsFlags,
        _ surroundings: Surroundings,
        _ server: ServerConfiguration,
        _ store: ServedStore,
        _ accounts: ServedAccounts,
        logger: Logger
    ) async throws(Failure) -> ServedChat {
        let settings = surroundings.settings
        let named = try flags.named(settings)
        let delay = try settings.value(.replyDelay, flags.replyDelay, SettingText.duration)
        let demoPeople = try settings.isOn(.demoPeople, flags.demoPeople)
        guard named?.contains(.chat) ?? true else { return .off(nil) }
        func off(_ reason: String, hint: String) throws(Failure) -> ServedChat {
            guard named == nil else { throw .usage("the chat cannot run: \(reason)", hint: hint) }
            return .off("\(reason); \(hint)")
        }
        guard server.cluster == nil else {
            return try off(
                "servers that share rooms by --redis have no common database",
                hint: "run one server without --redis for the chat"
            )
        }
        guard let folder = store.folder else {
            return try off("there is no folder for its data", hint: "give one with --data, or set HOME")
        }
        // A system service may be reachable through a proxy that the settings do not mention.
        let isLocal = server.isOnlyLocal && surroundings.environment["STATE_DIRECTORY"] == nil
        var configuration = ChatConfiguration(mediaFolder: folder.path(mediaFolder))
        configuration.trustsThisComputer = isLocal
        configuration.hasSimulatedPeople = isLocal || demoPeople
        if let delay { configuration.hub.replyDelay = delay...delay }
        do {
            let service = try await ChatWebService(
                configuration,
                accounts.directory,
                store.database(),
                logger: logger
            )
            return .on(service, isOpen: isLocal)
        } catch {
            guard let failure = error as? ServerStoreFailure else {
                return try off("\(error)", hint: "see the log")
            }
            return try off(failure.message, hint: failure.hint)
        }
    }

    var service: ChatWebService? { if case .on(let service, _) = self { service } else { nil } }

    /// The reason why the chat is off; nil if it is on, or if the user disabled it.
    var reason: String? { if case .off(let reason) = self { reason } else { nil } }

    /// Reports to the user whether the chat is on; warns if it is off for a reason.
    func announce(_ front: ServerFront) {
        switch self {
        case .on(_, let isOpen):
            front.say("chat: \(isOpen ? "open to programs on this computer" : "for people with accounts")")
        case .off(let reason?): front.warn("the chat is off: \(reason)")
        case .off(nil): break
        }
    }
}

/// The data of a server's chat in the exports of its users.
struct ExportedChat: ExportPart {
    let chat: ChatWebService

    var name: String { "chat" }

    @concurrent func write(about user: Int, _ write: @concurrent ([UInt8]) async throws -> Void) async throws
    {
        try await chat.writeData(about: user, write)
    }
}

/// The directory of a server's users for its chat.
private struct AccountDirectory: ChatDirectory {
    /// The maximum number of users in the list of people.
    private static let longestList = 1000
    private static let longestStatus = 100

    let accounts: Accounts

    func holder(ofAccessToken token: String) async -> Int? { await accounts.holder(ofAccessToken: token) }

    func isSignedIn(byAccessToken token: String) async -> Bool {
        await accounts.isSignedIn(byAccessToken: token)
    }

    var endedSessions: AsyncStream<Int> { accounts.endedSessions }

    var deletedAccounts: AsyncStream<Int> { accounts.deletedUsers }

    func accounts(_ ids: [Int]) async throws -> [ChatPerson] {
        try await accounts.profiles(of: ids).map(person)
    }

    func accounts() async -> [ChatPerson] {
        let profiles = (try? await accounts.profiles(limit: Self.longestList)) ?? []
        return profiles.map(person)
    }

    private func person(_ profile: Profile) -> ChatPerson {
        ChatPerson(
            id: profile.id,
            name: profile.name,
            status: profile.about?.printable(limit: Self.longestStatus),
            username: profile.username.isEmpty ? nil : profile.username
        )
    }
}

extension ServedAccounts {
    fileprivate var directory: any ChatDirectory {
        if case .on(let accounts, _, _) = self { AccountDirectory(accounts: accounts) } else { NoAccounts() }
    }
}
