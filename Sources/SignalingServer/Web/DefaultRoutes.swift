internal import FrontParsers
package import HTTPFront
internal import NIOHTTP1

/// The routes of a server without a page: a description and a health check.
package struct DefaultRoutes: WebRoutes {
    package init() {}

    package func respond(to request: WebRequest) async -> WebResponse {
        switch RequestTarget(request.uri).path {
        case "/": WebResponse(text: "callrunner signaling server: Socket.IO 5 at /socket.io/\n")
        case "/healthz": WebResponse(text: #"{"status":"ok"}"#, type: "application/json")
        default: WebResponse(.notFound, text: "not found\n")
        }
    }
}
