package import AccountsCore
package import Basics
package import SoupKit

/// A connection to an account server.
package protocol AccountTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The access token, or nil for a request that needs none.
    /// - Returns: The answer, which may have any status.
    /// - Throws: `AccountFailure` if no answer arrived in time; `.unreachable` if the task was cancelled.
    func send(_ request: AccountRequest, token: Secret?) async throws(AccountFailure) -> AccountAnswer
}

/// A request to an account server.
package struct AccountRequest: Sendable {
    package var method: String
    /// The path below the base URL, without a leading slash.
    package var path: String
    package var body: JSON?
    /// The path of the file to which the body of a successful answer is written; nil to collect it in memory.
    package var file: String?

    package init(_ method: String, _ path: String, _ body: JSON? = nil) {
        (self.method, self.path, self.body) = (method, path, body)
    }
}

/// An HTTP response from an account server.
package struct AccountAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// The value of the `Retry-After` field, if any.
    package var retryAfter: String?

    package init(status: Int, body: [UInt8], retryAfter: String? = nil) {
        (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }

    /// The failure for an answer with an error status.
    package var failure: AccountFailure { AccountFailure(status: status, body: body, retryAfter: retryAfter) }

    package var isSuccess: Bool { (200...299).contains(status) }
}

/// A connection to an account server over HTTP.
///
/// Redirects are not followed, so that the access token is never sent to another origin.
package struct HTTPAccountTransport: AccountTransport {
    /// The time limit for a complete answer.
    private static let limit = Duration.seconds(10)
    /// The time limit for requests that may contain a picture.
    private static let longLimit = Duration.seconds(60)
    /// The time limit for an answer that is written to a file; a server that sends nothing is given up earlier.
    private static let fileLimit = Duration.seconds(6 * 3600)
    /// The maximum size in bytes of an answer that is collected in memory.
    private static let maximumAnswer = 16 << 20
    /// The maximum size in bytes of an answer that is written to a file.
    private static let maximumFile = 8 << 30

    private let base: String
    /// The description of this program and computer in the user's list of sessions.
    private let device: String
    private let client: HTTPClient

    /// Creates the connection to the API at `base`, an `http://` or `https://` URL without a trailing slash.
    package init(_ base: String, device: String, client: HTTPClient) {
        (self.base, self.device, self.client) = (base, device, client)
    }

    package func send(_ request: AccountRequest, token: Secret?) async throws(AccountFailure) -> AccountAnswer
    {
        let file = request.file
        let size = file == nil ? Self.maximumAnswer : Self.maximumFile
        var sent = HTTPRequest("\(base)/\(request.path)", method: request.method, limit: size)
        if let body = request.body {
            sent.body = .bytes(Array(body.serialized().utf8), type: "application/json")
        }
        sent.headers.add("User-Agent", device)
        if let token { sent.headers.add("Authorization", "Bearer \(token.value)") }
        let short = request.method == "PUT" ? Self.longLimit : Self.limit
        let response: HTTPResponse?
        do {
            response = try await withDeadline(file == nil ? short : Self.fileLimit) { [sent] in
                if let file { try await client.download(sent, to: file) } else { try await client.send(sent) }
            }
        } catch let failure as HTTPFailure {
            switch failure {
            case .untrusted: throw AccountFailure(.untrusted, "\(failure)")
            case .file: throw AccountFailure(.storeUnavailable, "\(failure)")
            default: throw AccountFailure(.unreachable, "\(failure)")
            }
        } catch {
            throw AccountFailure(.unreachable, "the request was cancelled")
        }
        guard let response else { throw AccountFailure(.timedOut, "the server does not answer") }
        return AccountAnswer(
            status: response.status,
            body: response.body,
            retryAfter: response.headers["Retry-After"]
        )
    }
}
