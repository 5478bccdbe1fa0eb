package import GLibKit

/// An HTTP client for any number of servers, of which those on this computer are reached without a proxy.
@LoopActor
package final class HTTPClient {
    private let trust: TLSAuthorities
    private let idleLimit: Duration
    private var direct: HTTPSession?
    private var proxied: HTTPSession?

    /// Creates a client without open connections; `idleLimit` is the time without any byte from the server
    /// after which a request fails.
    package nonisolated init(trust: TLSAuthorities = .system, idleLimit: Duration = .seconds(30)) {
        (self.trust, self.idleLimit) = (trust, idleLimit)
    }

    /// Sends the request, like `HTTPSession.send(_:onSent:onProgress:)`.
    package func send(
        _ request: HTTPRequest,
        onProgress: HTTPProgress.Handler? = nil
    ) async throws -> HTTPResponse {
        try await session(for: request.url).send(request, onProgress: onProgress)
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
                links: TCPLinks(onReached: {})
            )
        )
        if isLoopback { direct = session } else { proxied = session }
        return session
    }
}
