internal import AccountsClient
internal import AccountsCore
internal import AppFlow
internal import Basics
internal import ChatClient
internal import ChatCore
internal import GLibKit
internal import SoupKit
internal import UserStore

/// The connection of a command to the server of a chat.
struct ChatSession {
    let service: HTTPChatService
    /// The URL of the server.
    let base: String
    let trust: TLSAuthorities
    /// The ID of the signed-in user; nil if nobody is signed in, or if `named` is another user.
    let account: Int?
    /// The ID that the user has chosen, if any.
    let named: Int?
    let surroundings: Surroundings

    /// Calls `body` with the service of a chat.
    ///
    /// - Throws: `Failure`.
    static func run(
        _ flags: ChatFlags,
        _ named: Int?,
        _ surroundings: Surroundings,
        _ body: (ChatSession) async throws -> Int32
    ) async throws -> Int32 {
        let base = try flags.base(surroundings.settings)
        let trust = try flags.trust.authorities(surroundings.settings)
        let (_, result) = await AccountConnection.with(base, trust, surroundings) { events in
            for await _ in events {}
        } _: { connection -> Result<Int32, any Error> in
            let session = connection.client.session
            try? await session.load()
            let user = await session.user
            // There is no token for another user.
            let usesAccount = user != nil && (named == nil || named == user)
            let service = HTTPChatService(base, trust: trust) { () async throws(ChatError) -> String? in
                guard usesAccount else { return nil }
                do throws(AccountFailure) { return try await session.accessToken().value } catch {
                    throw ChatError(error)
                }
            }
            return await withTaskGroup { group in
                group.addTask { await service.run() }
                defer { group.cancelAll() }
                let chat = ChatSession(
                    service: service,
                    base: base,
                    trust: trust,
                    account: usesAccount ? user : nil,
                    named: named,
                    surroundings: surroundings
                )
                do { return .success(try await body(chat)) } catch let error as ChatError {
                    return .failure(await Failure.explained(error, base, trust))
                } catch { return .failure(error) }
            }
        }
        return try result.get()
    }

    /// The server's origin, under which its data is stored.
    var origin: String { URLParts(base)?.origin ?? base }

    var folder: PrivateFolder? { .configuration(surroundings.environment) }

    /// Returns the ID of the user: the one in `named`, the account's, or a guest's.
    func own() async -> Int {
        if let id = named ?? account { return id }
        // If the server does not answer, a guest of an extended server is assumed, to whom any stored messages belong.
        let isOriginal = await (try? service.isExtended()) == false
        return isOriginal ? GuestArchive.original.id : await GuestArchive(folder).id()
    }
}

extension ChatError {
    init(_ failure: AccountFailure) {
        switch failure.reason {
        case .signedOut, .forbidden: self = .status(401)
        case .notFound, .noAccounts, .refused, .invalid, .tooLarge, .serverFailed, .tooMany, .untrusted,
            .unreachable, .timedOut, .storeUnavailable:
            // There is a status only if the answer states no reason, as that of a server without accounts and chat may.
            self = failure.status.map { .status($0) } ?? .network(failure.message)
        }
    }
}

extension Failure {
    /// Creates the failure of a command, which names a foreign program if one listens in place of a chat server.
    static func explained(_ error: ChatError, _ base: String, _ trust: TLSAuthorities) async -> Failure {
        switch error {
        case .status(401): break
        case .status, .decodingFailed:
            guard ServerProbe.isHere(base) else { break }
            let probe = await ServerProbe(base, trust: trust)
            if let foreign = probe.failure(ofClientOf: base, flag: "--chat") { return foreign }
        case .network, .notConnected, .refused, .tooLong, .notSupported, .outboxFull: break
        }
        return Failure(error, base)
    }

    /// Creates the failure of a command that chats with people on the server at `base`.
    init(_ error: ChatError, _ base: String) {
        let server = base.withoutURLSecrets
        let (code, hint, exit): (String, String?, RunStatus) =
            switch error {
            case .network:
                (
                    "chat-unreachable",
                    "check that a chat server runs at \(server); `callrunner serve` starts one on this computer",
                    .signalingFailed
                )
            case .status(401):
                (
                    "chat-signed-out", "for \(server) sign in with `callrunner account login --phone NUMBER`",
                    .signalingFailed
                )
            case .status: ("chat-refused", "check that \(server) offers a chat", .signalingFailed)
            case .decodingFailed:
                ("chat-bad-answer", "check that \(server) offers a chat", .signalingFailed)
            case .notConnected: ("chat-not-sent", "send it again", .timedOut)
            case .refused: ("chat-not-sent", nil, .timedOut)
            case .tooLong: ("chat-not-sent", "send it in parts", .timedOut)
            case .notSupported:
                ("chat-not-sent", "send files through a server that `callrunner serve` runs", .timedOut)
            case .outboxFull: ("chat-not-sent", "wait until some of them are sent", .timedOut)
            }
        self.init(code: code, message: error.message, hint: hint, exit: exit.rawValue)
    }
}
