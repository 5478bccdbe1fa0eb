internal import FrontParsers
package import Hummingbird
internal import NIOCore
internal import NIOHTTP1

extension HTTPFields {
    /// Adds a field, unless its name is invalid.
    package mutating func append(_ name: String, _ value: String) {
        if let name = Element.Name(name) { append(Element(name: name, value: value)) }
    }
}

extension Request {
    /// Determines whether a server on a loopback address may answer the request, based on its host and
    /// origin.
    func isAnswered(under access: AccessPolicy) -> Bool {
        guard let authority = head.authority, let host = RequestHost(authority) else { return false }
        let fields = headers.map { ($0.name.rawName, $0.value) }
        return access.refusal(of: HTTPHeaders(fields), for: host, isDocument: true) == nil
    }
}

extension WebRequest {
    /// The request for routing by Hummingbird; a `HEAD` is routed like a `GET`.
    package var forHummingbird: Request {
        var fields = HTTPFields()
        for (name, value) in headers {
            fields.append(name, value)
        }
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: uri, headerFields: fields)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }
}

extension WebResponse {
    package init(_ response: Response) async throws {
        let writer = CollectingWriter()
        try await response.body.write(writer)
        var headers = HTTPHeaders()
        for field in response.headers where field.name != .contentLength {
            headers.add(name: field.name.rawName, value: field.value)
        }
        self.init(
            status: HTTPResponseStatus(statusCode: response.status.code),
            headers: headers,
            body: writer.body
        )
    }
}
