internal import Basics
package import ChatCore
package import GLibKit
internal import SoupKit

/// A client of a chat server over HTTP and WebSockets.
///
/// WebSockets are open only while `run()` runs. Redirects are not followed, so that the token is sent to no other
/// server.
package final class HTTPChatService: ChatService {
    /// A function that returns the user's access token; nil without a token.
    package typealias Credentials = @Sendable () async throws(ChatError) -> String?

    /// The time limit for a complete answer.
    private static let limit = Duration.seconds(10)
    /// The time limit for sending or receiving a file.
    private static let transferLimit = Duration.seconds(300)
    /// The maximum size of the list of people in bytes.
    private static let longestList = 4 << 20
    private static let longestAnswer = 65_536

    private let base: String
    private let trust: TLSAuthorities
    private let client: HTTPClient
    private let credentials: Credentials
    private let openings: AsyncStream<SoupChatConnection>
    private let openingSink: AsyncStream<SoupChatConnection>.Continuation

    /// Creates the client of the server at `base`, an `http://` or `https://` URL without a trailing slash.
    package init(
        _ base: String,
        trust: TLSAuthorities = .system,
        credentials: @escaping Credentials = { () async throws(ChatError) -> String? in nil }
    ) {
        (self.base, self.trust, self.credentials) = (base, trust, credentials)
        client = HTTPClient(trust: trust)
        (openings, openingSink) = AsyncStream.makeStream()
    }

    /// Runs the connections until the task is cancelled, which ends open connections.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await connection in openings { group.addTask { await connection.run() } }
            group.cancelAll()
        }
        await client.close()
    }

    // MARK: WebSockets

    package func connect(_ own: Int, with peer: Int?) -> any ChatConnection {
        var query = "userId=\(own)"
        if let peer { query += "&withId=\(peer)" }
        let scheme = base.hasPrefix("https:") ? "wss" : "ws"
        let address = base.drop { $0 != ":" }
        let connection = SoupChatConnection(
            "\(scheme)\(address)/ws/chat?\(query)&v=2",
            trust: trust,
            credentials: credentials
        )
        openingSink.yield(connection)
        return connection
    }

    /// Determines whether the server supports the extended protocol, without opening a conversation.
    ///
    /// - Throws: `ChatError` if the server does not answer.
    package func isExtended() async throws(ChatError) -> Bool {
        // A server with the extended protocol answers 426 with an explanation; the answers of other servers differ.
        let response = try await send(
            HTTPRequest("\(base)/ws/chat", limit: Self.longestAnswer),
            within: Self.limit
        )
        return response.status == 426 && (try? JSON(parsing: response.body))?["detail"] != nil
    }

    // MARK: Requests

    package func people(as own: Int) async throws(ChatError) -> [ChatPerson] {
        let request = HTTPRequest("\(base)/api/users?userId=\(own)", limit: Self.longestList)
        let response = try await send(request, within: Self.limit)
        guard response.isSuccess else { throw .status(response.status) }
        return try [ChatPerson](listIn: response.body)
    }

    package func upload(_ path: String, as own: Int) async throws(ChatError) -> ChatMedia {
        guard let status = FileStatus(path: path), status.isRegularFile else {
            throw .refused(code: "file", message: "\(path) is not a file that can be read")
        }
        guard (1...ChatLimits.largestFile).contains(status.size) else {
            let limit = ChatLimits.largestFile / 1_000_000
            let reason = status.size > 0 ? "is larger than \(limit) MB" : "is empty"
            throw .refused(code: "file", message: "\(path) \(reason)")
        }
        let response = try await send(
            HTTPRequest(
                "\(base)/api/media?userId=\(own)",
                method: "POST",
                body: .file(path: path, type: "application/octet-stream"),
                limit: Self.longestAnswer
            ),
            within: Self.transferLimit
        )
        switch response.status {
        case 404, 405: throw .notSupported
        case 413: throw .refused(code: "file", message: "the chat server refuses \(path) as too large")
        default: break
        }
        guard response.isSuccess else { throw .status(response.status) }
        guard let json = try? JSON(parsing: response.body) else { throw .decodingFailed("media") }
        return try ChatMedia(json)
    }

    package func download(_ media: ChatMedia, as own: Int, to path: String) async throws(ChatError) {
        guard FileStatus(path: path) == nil else {
            throw .refused(code: "not_saved", message: "\(path) exists already")
        }
        // `media.url` is not used, because it may refer to another server, which must not receive the token.
        var request = HTTPRequest(
            "\(base)/api/media/\(media.id)?userId=\(own)",
            limit: ChatLimits.largestFile
        )
        request.acceptsCompression = false
        let response: HTTPResponse
        do throws(ChatError) {
            response = try await perform(request, within: Self.transferLimit) { client, request in
                try await client.download(request, to: path)
            }
        } catch {
            // The disk may be full.
            guard case .refused("file", let message) = error else { throw error }
            throw .refused(code: "not_saved", message: message)
        }
        guard response.status != 404 else {
            throw .refused(code: "no_media", message: "the chat server no longer has this file")
        }
        guard response.isSuccess else { throw .status(response.status) }
    }

    private func send(_ request: HTTPRequest, within limit: Duration) async throws(ChatError) -> HTTPResponse
    {
        try await perform(request, within: limit) { client, request in try await client.send(request) }
    }

    /// Performs a request with the user's token.
    private func perform(
        _ request: HTTPRequest,
        within limit: Duration,
        _ exchange: @escaping @Sendable (HTTPClient, HTTPRequest) async throws -> HTTPResponse
    ) async throws(ChatError) -> HTTPResponse {
        var request = request
        if let token = try await credentials() { request.headers.add("Authorization", "Bearer \(token)") }
        let response: HTTPResponse?
        do {
            response = try await withDeadline(limit) { [client, request] in
                try await exchange(client, request)
            }
        } catch let failure as HTTPFailure {
            throw ChatError(failure)
        } catch {
            throw .network("the request was cancelled")
        }
        guard let response else { throw .network("the server does not answer") }
        return response
    }
}

extension ChatError {
    init(_ failure: HTTPFailure) {
        switch failure {
        case .status(let status): self = .status(status)
        case .file(let path, let reason): self = .refused(code: "file", message: "\(path): \(reason)")
        case .invalidRequest, .unreachable, .refused, .untrusted, .malformed, .redirected, .tooLarge,
            .timedOut, .broken, .unread:
            self = .network("\(failure)")
        }
    }
}
