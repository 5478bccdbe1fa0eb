internal import AccountsClient
internal import AccountsCore

/// A connection to the account on the app's own server, which is started first if nothing listens there.
struct ServedAccountTransport: AccountTransport {
    let server: AppServer
    let transport: HTTPAccountTransport

    func send(_ request: AccountRequest, token: Secret?) async throws(AccountFailure) -> AccountAnswer {
        let reason: ServedAccounts.Reason?
        do { reason = try await server.reasonWithoutAccounts() } catch {
            throw AccountFailure(.unreachable, (error as? Failure)?.message ?? "the app is closing")
        }
        if let reason {
            var failure = AccountFailure(.noAccounts, "accounts are off: \(reason.sentence)")
            failure.cause = reason.cause
            throw failure
        }
        return try await transport.send(request, token: token)
    }
}
