internal import Basics

extension TokenMachine {
    /// The outcome of a refresh.
    package enum Outcome: Hashable, Sendable {
        /// The server has issued new tokens.
        case issued(AccountTokens)
        /// The store already contains these tokens, which another process has stored; their age is unknown.
        case stored(AccountTokens)
        /// The server no longer accepts the refresh token, or the tokens are no longer in the store.
        case refused(AccountFailure)
        /// The server was not reached or has failed; the tokens remain in use.
        case failed(AccountFailure)
    }
}

extension TokenMachine.Outcome {
    /// The statuses with which a server refuses a refresh token; others may come from a proxy or be temporary.
    private static let refusals: Set = [401, 404, 422]

    /// Creates the outcome of a refresh of the tokens `former` from the server's response.
    package init(status: Int, body: [UInt8], retryAfter: String? = nil, of former: AccountTokens) {
        switch status {
        case 200...299:
            if let json = try? JSON(parsing: body), let tokens = AccountTokens(json, user: former.user) {
                self = .issued(tokens)
            } else {
                self = .failed(
                    AccountFailure(.serverFailed, "the server's answer to a refresh cannot be understood")
                )
            }
        case let status where Self.refusals.contains(status):
            self = .refused(AccountFailure(status: status, body: body))
        default: self = .failed(AccountFailure(status: status, body: body, retryAfter: retryAfter))
        }
    }
}
