extension HTTPSession {
    /// Sends the request and collects the response's body in memory; cancelling the task closes the
    /// connection.
    ///
    /// - Parameters:
    ///   - request: The request; its limit applies to the response's body.
    ///   - onSent: Called on the loop when the whole request has been sent.
    ///   - onProgress: Called whenever a part of a body has been sent or has arrived.
    /// - Returns: The response, whatever its status.
    /// - Throws: `HTTPFailure` or `CancellationError`.
    package func send(
        _ request: HTTPRequest,
        onSent: @escaping @Sendable () -> Void = {},
        onProgress: HTTPProgress.Handler? = nil
    ) async throws -> HTTPResponse {
        try await HTTPExchange(request, on: self, onSent: onSent, onProgress: onProgress).perform()
    }

    /// Sends the request and passes on the response, first its head and then its body in parts, without storing it.
    ///
    /// - Parameters:
    ///   - request: The request; its limit applies to the response's body.
    ///   - onHead: Called with the response, whose body is empty.
    ///   - onPart: Called with each part of the body; the next one is read when it returns.
    /// - Throws: `HTTPFailure`, `CancellationError`, or an error of the handlers.
    package func pass(
        _ request: HTTPRequest,
        onHead: (HTTPResponse) async throws -> Void,
        onPart: ([UInt8]) async throws -> Void
    ) async throws {
        try await HTTPExchange(request, on: self, onSent: {}, onProgress: nil).pass(onHead, onPart)
    }

    /// Sends the request and writes the response's body to the file at `path`.
    ///
    /// The file appears complete or not at all, replaces an existing one, and only the user may read it. The
    /// body of an unsuccessful response is returned, as far as it can be read and at most 64 KiB of it; the
    /// file at `path` then stays unchanged.
    /// - Throws: `HTTPFailure` or `CancellationError`.
    package func download(
        _ request: HTTPRequest,
        to path: String,
        onProgress: HTTPProgress.Handler? = nil
    ) async throws -> HTTPResponse {
        try await HTTPExchange(request, on: self, onSent: {}, onProgress: onProgress).download(to: path)
    }
}
