package import GLibKit

/// An HTTP client for any number of servers; servers on this computer are reached without a proxy.
@LoopActor
package final class HTTPClient {
    private let trust: TLSAuthorities
    private let idleLimit: Duration
    private let connections: Int
    private let keepsCookies: Bool
    private var direct: HTTPSession?
    private var proxied: HTTPSession?

    /// Creates a client without open connections.
    ///
    /// - Parameters:
    ///   - trust: The certificate authorities that are trusted.
    ///   - idleLimit: The time without any byte from the server after which a request fails.
    ///   - connections: The maximum number of simultaneous connections to each server.
    ///   - keepsCookies: Whether cookies are stored as long as the client exists, and sent back to their servers.
    package nonisolated init(
        trust: TLSAuthorities = .system,
        idleLimit: Duration = .seconds(30),
        connections: Int = 2,
        keepsCookies: Bool = false
    ) {
        (self.trust, self.idleLimit) = (trust, idleLimit)
        (self.connections, self.keepsCookies) = (connections, keepsCookies)
    }

    /// Sends the request, like `HTTPSession.send(_:onSent:onProgress:)`.
    package func send(
        _ request: HTTPRequest,
        onProgress: HTTPProgress.Handler? = nil
    ) async throws -> HTTPResponse {
        try await session(for: request.url).send(request, onProgress: onProgress)
    }

    /// Passes the response on in parts, like `HTTPSession.pass(_:onHead:onPart:)`.
    package func pass(
        _ request: HTTPRequest,
        onHead: (HTTPResponse) async throws -> Void,
        onPart: ([UInt8]) async throws -> Void
    ) async throws {
        try await session(for: request.url).pass(request, onHead: onHead, onPart: onPart)
    }

    /// Writes the response's body to a file, like `HTTPSession.download(_:to:onProgress:)`.
    package func download(
        _ request: HTTPRequest,
        to path: String,
        onProgress: HTTPProgress.Handler? = nil
    ) async throws -> HTTPResponse {
        try await session(for: request.url).download(request, to: path, onProgress: onProgress)
    }

    /// Ends all requests and closes the connections.
    package func close() {
        for session in [direct, proxied] { session?.abort() }
        (direct, proxied) = (nil, nil)
    }

    private func session(for url: String) throws(HTTPFailure) -> HTTPSession {
        let isLoopback = URLParts(url)?.isLoopback ?? false
        if let session = isLoopback ? direct : proxied { return session }
        let session = try HTTPSession(
            HTTPSessionSettings(
                trust: trust,
                usesProxies: !isLoopback,
                idleLimit: idleLimit,
                connections: connections,
                links: TCPLinks(onReached: {})
            )
        )
        if keepsCookies { session.keepCookies() }
        if isLoopback { direct = session } else { proxied = session }
        return session
    }
}
