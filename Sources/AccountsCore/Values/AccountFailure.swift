internal import Basics

/// The reason why the server did not do what was asked.
package struct AccountFailure: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The server was not reached, or the connection broke.
        case unreachable
        /// TLS failed, or the server's certificate is not trusted.
        case untrusted
        /// The server did not answer in time.
        case timedOut
        /// The server failed (5xx), or its answer cannot be understood.
        case serverFailed
        /// The user's tokens cannot be read or stored here, for example because the keyring is locked.
        case storeUnavailable
        /// The user is not signed in any more (401).
        case signedOut
        /// Something is not permitted (403).
        case forbidden
        /// The server does not know the named thing, such as a code that is wrong or too old (404).
        case notFound
        /// A field is invalid or taken (422).
        case invalid
        /// The request is too large (413).
        case tooLarge
        /// Too many requests (429); `AccountFailure.wait` tells when to try again.
        case tooMany
        /// The server has no accounts; `AccountFailure.cause` tells why if that is known.
        case noAccounts
        /// The server refused for another reason.
        case refused
    }

    /// The reason why a field is refused.
    package struct FieldProblem: Hashable, Sendable {
        /// The name of the field in the API; empty if the server does not tell it.
        package let field: String
        package let message: String

        package init(field: String, message: String) { (self.field, self.message) = (field, message) }
    }

    package var reason: Reason
    package var message: String
    package var fields: [FieldProblem] = []
    /// The time after which the request may be repeated.
    package var wait: Duration?
    /// The reason why the app's own server has no accounts, as a clause for people.
    package var cause: String?

    /// The HTTP status, if the server has told nothing else.
    package var status: Int?

    package init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }

    /// The end of a session by another program of this user.
    package static let signedOutElsewhere = AccountFailure(.signedOut, "another program has signed out")

    /// Whether the same request may succeed later.
    package var isTemporary: Bool {
        switch reason {
        case .unreachable, .untrusted, .timedOut, .serverFailed, .storeUnavailable, .tooMany: true
        case .signedOut, .forbidden, .notFound, .invalid, .tooLarge, .noAccounts, .refused: false
        }
    }
}

extension AccountFailure {
    /// The longest message of a server that is shown, in characters.
    private static let longestMessage = 300
    /// The most field problems that are read.
    private static let mostFields = 20

    /// Creates the failure of an answer with a status that is no success.
    ///
    /// `detail` in the body may be a text, an object with a `message`, or a list of problems with fields; a body that is
    /// no JSON, or empty, is as good as none.
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
            message = "the server answers \(status)"
            self.status = status
        }
        if let seconds = retryAfter.flatMap({ Int($0) }), (0...86_400).contains(seconds) {
            wait = .seconds(seconds)
        }
    }

    fileprivate static func printable(_ text: String) -> String { text.printable(limit: longestMessage) }
}

extension AccountFailure.FieldProblem {
    /// The parts of a request that `loc` may name before a field.
    private static let places: Set = ["body", "query", "path", "header"]

    /// Reads an item such as `{"loc": ["body", "phone"], "msg": "…", "type": "…"}`, or a mere text.
    fileprivate init(_ json: JSON) {
        let names = json["loc"]?.arrayValue?.compactMap(\.stringValue) ?? []
        self.init(
            field: AccountFailure.printable(names.first { !Self.places.contains($0) } ?? ""),
            message: AccountFailure.printable(json["msg"]?.stringValue ?? json.stringValue ?? "")
        )
    }
}
