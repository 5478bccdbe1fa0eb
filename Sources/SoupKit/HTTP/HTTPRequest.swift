/// An HTTP request.
package struct HTTPRequest: Hashable, Sendable {
    package enum Body: Hashable, Sendable {
        case bytes([UInt8], type: String)
        /// The content of a file, which is read while it is sent.
        case file(path: String, type: String)
    }

    package var method: String
    package var url: String
    package var headers: HTTPHeaders
    package var body: Body?
    /// The maximum size of the response's body in bytes, after decompression.
    package var limit: Int
    /// Whether redirects are followed, at most 20.
    ///
    /// By default they are not, because a server could redirect the request into this computer's own network.
    package var followsRedirects = false
    /// Whether the server may compress the body of the response.
    package var acceptsCompression = true

    package init(
        _ url: String,
        method: String = "GET",
        headers: HTTPHeaders = HTTPHeaders(),
        body: Body? = nil,
        limit: Int = 1 << 20
    ) {
        (self.method, self.url, self.headers) = (method, url, headers)
        (self.body, self.limit) = (body, limit)
    }
}
