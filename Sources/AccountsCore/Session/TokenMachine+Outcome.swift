internal import Basics

extension TokenMachine {
    /// The end of a refresh.
    package enum Outcome: Hashable, Sendable {
        /// The server has issued new tokens.
        case issued(AccountTokens)
        /// Another process has stored these tokens before; their age is not known.
        case stored(AccountTokens)
        /// The server does not know the refresh token any more, or nothing is stored any more.
        case refused(AccountFailure)
        /// The server was not reached, or has failed; the tokens stay.
        case failed(AccountFailure)
    }
}

extension TokenMachine.Outcome {
    /// The statuses with which a server refuses a refresh token; any other one may come from a proxy, or pass.
    private static let refusals: Set = [401, 404, 422]

    /// Creates the outcome of an answer to the refresh of these tokens.
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
