internal import ArgumentParser
internal import Basics
internal import HTTPFront
internal import Logging
internal import ServerStore
internal import SignalingServer

/// The services of a server that store data.
struct ServedServices {
    let accounts: ServedAccounts
    let chat: ServedChat
    let store: ServedStore

    /// No services: both are off, without a reason to report.
    static let none = ServedServices(accounts: .off(nil), chat: .off(nil), store: ServedStore(nil))

    /// Opens the database for the services that can run.
    ///
    /// - Throws: `Failure` with exit code 64 if a flag is wrong, or if a service was requested by name and cannot run.
    static func open(
        _ flags: AccountsFlags,
        _ surroundings: Surroundings,
        _ server: ServerConfiguration,
        logger: Logger
    ) async throws(Failure) -> ServedServices {
        let store = ServedStore(try AccountsFlags.folder(surroundings.settings, flags.data))
        let accounts = try await ServedAccounts.open(flags, surroundings, server, store, logger: logger)
        let chat = try await ServedChat.open(flags, surroundings, server, store, accounts, logger: logger)
        return ServedServices(accounts: accounts, chat: chat, store: store)
    }

    /// Opens the services of the app's own server; those that cannot run are off.
    static func ofApp(_ surroundings: Surroundings, logger: Logger) async -> ServedServices {
        do {
            let flags = try AccountsFlags.parse([])
            return try await open(flags, surroundings, ServerConfiguration(), logger: logger)
        } catch {
            let reason = (error as? Failure)?.message ?? "\(error)"
            return ServedServices(
                accounts: .off(ServedAccounts.Reason(cause: reason)),
                chat: .off(reason),
                store: ServedStore(nil)
            )
        }
    }

    func services(_ logger: Logger) -> [any WebService] {
        let parts = chat.service.map { [ExportedChat(chat: $0)] } ?? []
        let services: [(any WebService)?] = [accounts.service(exporting: parts, logger), chat.service]
        return services.compactMap(\.self)
    }

    /// Reports to the user which services are on.
    func announce(_ front: ServerFront) {
        accounts.announce(front)
        chat.announce(front)
    }

    /// The names of all services that the server offers.
    var names: [String] {
        var names = ["calls"]
        if case .on = accounts { names.append("accounts") }
        if case .on = chat { names.append("chat") }
        return names
    }

    /// The fields of the event `server.listening` that describe the services.
    var fields: JSONObject {
        var fields: JSONObject = ["services": .array(names.map { .string($0) })]
        if names.count > 1, let folder = store.folder { fields["data"] = .string(folder.path) }
        return fields
    }
}
