internal import AccountsClient
internal import AccountsCore
internal import Basics
internal import DesktopKit
internal import GLibKit
internal import Glibc
internal import SoupKit
internal import UserStore

/// The account of this computer's user on one server, with a session whose tokens are stored on this computer.
struct AccountConnection {
    let client: AccountClient
    let store: SecretTokenStore
    /// The user's profile on this computer.
    let archive: AccountArchive
    /// The URL of the API.
    let base: String

    /// Whether the server is on this computer.
    var isLocal: Bool { URLParts(base)?.isLoopback ?? false }

    /// Calls `body` with the account, and refreshes and stores the tokens of the session until `body` returns.
    ///
    /// - Parameters:
    ///   - base: The URL of the API.
    ///   - trust: The certificate authorities trusted for the connection.
    ///   - surroundings: The user's folders and terminal.
    ///   - transport: Returns the transport to use in place of the given HTTP transport.
    ///   - follow: Reads the events of the session until they end.
    ///   - body: Uses the account.
    /// - Returns: The results of `follow` and `body`.
    static func with<Followed: Sendable, Result>(
        _ base: String,
        _ trust: TLSAuthorities,
        _ surroundings: Surroundings,
        transport: (HTTPAccountTransport) -> any AccountTransport = { $0 },
        follow: @escaping @Sendable (AsyncStream<AccountSession.Event>) async -> Followed,
        _ body: (AccountConnection) async -> Result
    ) async -> (followed: Followed, result: Result) {
        let (environment, console) = (surroundings.environment, surroundings.console)
        let warn: @Sendable (String) -> Void = { console.say("warning: \($0)", .emphasis) }
        let http = HTTPClient(trust: trust)
        let transport = transport(HTTPAccountTransport(base, device: device, client: http))
        let store = SecretTokenStore(
            base,
            folder: .configuration(environment),
            keyring: { await SecretService(environment) },
            warn: warn
        )
        let session = AccountSession(transport, store)
        let connection = AccountConnection(
            client: AccountClient(session, transport),
            store: store,
            archive: AccountArchive(base, environment: environment, warn: warn),
            base: base
        )
        async let followed = follow(session.events)
        let result = await withTaskGroup { group in
            group.addTask { await session.run() }
            let result = await body(connection)
            group.cancelAll()
            return result
        }
        await http.close()
        return (await followed, result)
    }

    /// The description of this program and computer that the user sees in the list of sessions.
    private static var device: String {
        var name = [CChar](repeating: 0, count: 65)
        let host = gethostname(&name, name.count - 1) == 0 ? name.prefix { $0 != 0 } : []
        let text = String(decoding: host.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "callrunner \(Version.number) on \(text.isEmpty ? "Linux" : text)".printable(limit: 100)
    }
}

extension AccountSession.Event {
    /// The event's name and fields for `--json`, without tokens; nil if the event is not reported there.
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
