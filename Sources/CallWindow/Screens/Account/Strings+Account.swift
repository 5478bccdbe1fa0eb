internal import AccountsCore
internal import WindowKit

extension Strings {
    /// Describes a failure of the account's server in one sentence.
    func sentence(of failure: AccountFailure) -> String {
        let key: String? =
            switch failure.reason {
            case .unreachable: "account.failed.unreachable"
            case .untrusted: "account.failed.untrusted"
            case .timedOut: "account.failed.timed-out"
            case .serverFailed: "account.failed.server"
            case .signedOut: "account.failed.signed-out"
            case .noAccounts: failure.cause == nil ? "account.failed.none" : "account.failed.off"
            case .tooMany: failure.wait == nil ? "account.failed.too-many" : "account.failed.wait"
            case .storeUnavailable, .forbidden, .notFound, .invalid, .tooLarge, .refused: nil
            }
        if failure == .signedOutElsewhere { return self["account.failed.signed-out-elsewhere"] }
        if key == nil, let status = failure.status {
            return self("account.failed.status", ["status": "\(status)"])
        }
        guard let key else { return self("account.failed.other", ["reason": failure.message]) }
        let seconds = failure.wait.map { "\($0.components.seconds)" } ?? ""
        return self(key, ["seconds": seconds, "reason": failure.cause ?? ""])
    }

    /// Describes why a code was not accepted, in one sentence.
    func sentence(ofCode failure: AccountFailure) -> String {
        switch failure.reason {
        case .notFound, .forbidden: self["account.code.wrong"]
        default: sentence(of: failure)
        }
    }

    /// Describes why an entered text is invalid, in one sentence.
    func sentence(of problem: AccountRules.Problem) -> String {
        switch problem {
        case .empty: self["account.problem.empty"]
        case .tooLong(let count): self("account.problem.long", ["count": "\(count)"])
        case .tooShort(let count): self("account.problem.short", ["count": "\(count)"])
        case .characters: self["account.problem.characters"]
        case .form: self["account.problem.form"]
        case .noDay: self["account.problem.day"]
        case .range: self["account.problem.range"]
        }
    }

    /// Describes why the server refuses a field; if the reason has no translation, returns the server's message.
    func sentence(ofRefused field: AccountRules.Field, _ message: String) -> String {
        field == .username && message.contains("taken") ? self["account.username.taken"] : message
    }

    /// Formats a day, such as “1 May 1990”.
    func date(_ day: CalendarDay) -> String {
        self(
            "date.day",
            [
                "day": "\(day.day)", "month": self["date.month.of.\(day.month)"], "year": "\(day.year)",
            ]
        )
    }
}
