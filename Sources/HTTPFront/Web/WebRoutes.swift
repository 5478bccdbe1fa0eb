package import NIOCore
package import NIOHTTP1

/// The routes for requests that are not for Engine.IO: pages, health, metrics.
package protocol WebRoutes: Sendable {
    /// Answers a `GET` or `HEAD`; for a `HEAD`, the server omits the body.
    ///
    /// Called outside of the event loop, and for several requests at a time.
    func respond(to request: WebRequest) async -> WebResponse
}

/// A `GET` or `HEAD` request as it was received.
package struct WebRequest: Sendable {
    package let method: HTTPMethod
    /// The request target with its query, percent-encoded as received.
    package let uri: String
    package let headers: HTTPHeaders

    package init(method: HTTPMethod, uri: String, headers: HTTPHeaders) {
        self.method = method
        self.uri = uri
        self.headers = headers
    }
}

/// A response, to which the server adds `Content-Length`, `Connection`, CORS and a default `Cache-Control`.
package struct WebResponse: Sendable {
    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders
    package var body: ByteBuffer

    package init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: ByteBuffer = ByteBuffer()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a text body.
    package init(
        _ status: HTTPResponseStatus = .ok,
        text: String,
        type: String = "text/plain; charset=UTF-8"
    ) {
        self.init(status: status, headers: ["Content-Type": type], body: ByteBuffer(string: text))
    }
}
