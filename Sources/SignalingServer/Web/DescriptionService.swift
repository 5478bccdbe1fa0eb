package import HTTPFront
package import Hummingbird
internal import NIOCore

/// The HTTP responses of a server that has no web page installed: a description and a health check.
package struct DescriptionService: WebService {
    package let name = "page"
    package let hasDocuments = true
    package let isReadOnly = true

    private static let description = """
        callrunner signaling server: Socket.IO protocol 5 at /socket.io/

        The app or a call runs this server, which has no web page. For calls and chats in the browser run

          callrunner serve --port 3001

        and open http://127.0.0.1:3001/ there. That server has rooms of its own; other clients join them with
        --server http://127.0.0.1:3001.

        """

    package init() {}

    package func owns(_ path: String) -> Bool { true }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        switch request.uri.path {
        case "/": Self.answer(.ok, Self.description)
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
