internal import AccountsClient
internal import AccountsCore

/// A connection to the account on the app's own server, which is started first if nothing listens there.
struct ServedAccountTransport: AccountTransport {
    let server: AppServer
    let transport: HTTPAccountTransport

    func send(_ request: AccountRequest, token: Secret?) async throws(AccountFailure) -> AccountAnswer {
        do { _ = try await server.url() } catch {
            throw AccountFailure(.unreachable, (error as? Failure)?.message ?? "the app ends")
        }
        return try await transport.send(request, token: token)
    }
}
