package import HTTPFront
package import Hummingbird
internal import NIOCore

/// The pages of a server without a web page: a description and a health check.
package struct DescriptionService: WebService {
    package let name = "page"
    package let hasDocuments = true
    package let isReadOnly = true

    package init() {}

    package func owns(_ path: String) -> Bool { true }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        switch request.uri.path {
        case "/": Self.answer(.ok, "callrunner signaling server: Socket.IO protocol 5 at /socket.io/\n")
        case "/healthz": Self.answer(.ok, #"{"status":"ok"}"#, type: "application/json")
        default: Self.answer(.notFound, "not found\n")
        }
    }

    /// Creates a response with a text body.
    static func answer(
        _ status: HTTPResponse.Status,
        _ text: String,
        type: String = "text/plain; charset=utf-8"
    ) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = type
        headers[.xContentTypeOptions] = "nosniff"
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}
