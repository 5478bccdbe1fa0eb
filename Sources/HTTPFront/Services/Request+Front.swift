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
    /// Creates the request of an exchange; a `HEAD` becomes a `GET`.
    init(_ exchange: HTTPExchange, body: RequestBody) {
        var fields = HTTPFields()
        for (name, value) in exchange.head.headers {
            fields.append(name, value)
        }
        let method = exchange.head.method == .HEAD ? "GET" : exchange.head.method.rawValue
        let head = HTTPRequest(
            method: HTTPRequest.Method(rawValue: method) ?? .get,
            scheme: nil,
            authority: nil,
            path: exchange.head.uri,
            headerFields: fields
        )
        self.init(head: head, body: body)
    }

    /// Determines whether a server on a loopback address may answer the request, based on its host and
    /// origin.
    func isAnswered(under access: AccessPolicy) -> Bool {
        guard let authority = head.authority, let host = RequestHost(authority) else { return false }
        let fields = headers.map { ($0.name.rawName, $0.value) }
        return access.refusal(of: HTTPHeaders(fields), for: host, isDocument: true) == nil
    }
}

extension HTTPReply {
    /// The fields of a service's response that are dropped, because the server itself manages the connection
    /// (RFC 9110 §7.6.1) and the framing of the body.
    private static let ownFields: Set = [
        "connection", "content-length", "keep-alive", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Creates a reply with the head of a service's response.
    init(headOf response: Response) {
        var headers = HTTPHeaders()
        for field in response.headers where !Self.ownFields.contains(field.name.canonicalName) {
            headers.add(name: field.name.rawName, value: field.value)
        }
        self.init(HTTPResponseStatus(statusCode: response.status.code), headers: headers)
    }
}

extension Request {
    /// Whether a header field shows that a proxy forwarded the request.
    package var isForwarded: Bool {
        headers.contains { field in
            let name = field.name.canonicalName
            // Proxies and CDNs add fields of their own with the client's address.
            return name.hasPrefix("x-forwarded") || name.hasSuffix("-ip")
                || ["forwarded", "via"].contains(name)
        }
    }

    /// The token of `Authorization: Bearer …`; nil if there is none.
    package var bearer: String? { credentials("bearer") }

    /// Returns the credentials of `Authorization` with a scheme in lowercase (RFC 9110 §11.4); nil if there are none.
    package func credentials(_ scheme: String) -> String? {
        guard let field = headers[.authorization], let space = field.firstIndex(of: " "),
            field[..<space].lowercased() == scheme
        else { return nil }
        return field[space...].split(separator: " ").first.map(String.init)
    }
}
