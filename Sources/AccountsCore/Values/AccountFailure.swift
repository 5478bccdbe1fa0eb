internal import Basics

/// The reason why a request to an account server failed.
package struct AccountFailure: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The server was not reached, or the connection broke.
        case unreachable
        /// TLS failed, or the server's certificate is not trusted.
        case untrusted
        /// The server did not answer in time.
        case timedOut
        /// The server failed (5xx), or its answer is invalid.
        case serverFailed
        /// The user's tokens cannot be read or stored on this computer, for example because the keyring is locked.
        case storeUnavailable
        /// The user is no longer signed in (401).
        case signedOut
        /// The request is not permitted (403).
        case forbidden
        /// The server does not know the requested item, or the code is wrong or has expired (404).
        case notFound
        /// A field is invalid or taken (422).
        case invalid
        /// The request is too large (413).
        case tooLarge
        /// There were too many requests (429); `AccountFailure.wait` is the time until the next one is allowed.
        case tooMany
        /// The server does not offer accounts; `AccountFailure.cause` is the reason, if it is known.
        case noAccounts
        /// The server refused for another reason.
        case refused
    }

    /// The reason why a field is refused.
    package struct FieldProblem: Hashable, Sendable {
        /// The name of the field in the API; empty if the server does not name it.
        package let field: String
        package let message: String

        package init(field: String, message: String) { (self.field, self.message) = (field, message) }
    }

    package var reason: Reason
    package var message: String
    package var fields: [FieldProblem] = []
    /// The time after which the request may be repeated, if the server has stated it.
    package var wait: Duration?
    /// The reason why the server that this app runs has no accounts, as a clause for the user.
    package var cause: String?

    /// The HTTP status, if the answer contains no message; otherwise nil.
    package var status: Int?

    package init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }

    /// The failure of a session that another program of this user has ended.
    package static let signedOutElsewhere = AccountFailure(
        .signedOut,
        "another program on this computer has signed you out"
    )

    /// Whether the same request may succeed later.
    package var isTemporary: Bool {
        switch reason {
        case .unreachable, .untrusted, .timedOut, .serverFailed, .storeUnavailable, .tooMany: true
        case .signedOut, .forbidden, .notFound, .invalid, .tooLarge, .noAccounts, .refused: false
        }
    }
}

extension AccountFailure {
    /// The maximum length in characters of a server's message; a longer one is cut.
    private static let longestMessage = 300
    /// The maximum number of field problems that are parsed.
    private static let mostFields = 20

    /// Creates the failure for an answer with an error status.
    ///
    /// `detail` in the body may be a string, an object with a `message`, or a list of problems with fields; a body that
    /// is empty or not JSON is ignored.
    package init(status: Int, body: [UInt8], retryAfter: String? = nil) {
        let reason: Reason =
            switch status {
            case 401: .signedOut
            case 403: .forbidden
            case 404: .notFound
            case 408: .timedOut
            case 413: .tooLarge
            case 422: .invalid
            case 405, 501: .noAccounts
            case 429: .tooMany
            case 500...: .serverFailed
            default: .refused
            }
        self.init(reason, "")
        let detail = (try? JSON(parsing: body))?["detail"]
        switch detail {
        case .string(let text): message = Self.printable(text)
        case .object: message = Self.printable(detail?["message"]?.stringValue ?? "")
        case .array(let items):
            fields = items.prefix(Self.mostFields).map { FieldProblem($0) }
            message = fields.first { !$0.message.isEmpty }?.message ?? ""
        default: break
        }
        if message.isEmpty {
            message = "the server answers with status \(status)"
            self.status = status
        }
        if let seconds = retryAfter.flatMap({ Int($0) }), (0...86_400).contains(seconds) {
            wait = .seconds(seconds)
        }
    }

    fileprivate static func printable(_ text: String) -> String { text.printable(limit: longestMessage) }
}

extension AccountFailure.FieldProblem {
    /// The names of the parts of a request, which may precede the name of the field in `loc`.
    private static let places: Set = ["body", "query", "path", "header"]

    /// Parses an item such as `{"loc": ["body", "phone"], "msg": "…", "type": "…"}`, or a plain string.
    fileprivate init(_ json: JSON) {
        let names = json["loc"]?.arrayValue?.compactMap(\.stringValue) ?? []
        self.init(
            field: AccountFailure.printable(names.first { !Self.places.contains($0) } ?? ""),
            message: AccountFailure.printable(json["msg"]?.stringValue ?? json.stringValue ?? "")
        )
    }
}
