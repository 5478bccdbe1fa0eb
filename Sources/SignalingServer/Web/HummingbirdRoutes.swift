internal import Basics
internal import FrontParsers
package import HTTPFront
internal import Hummingbird
package import Logging
internal import NIOCore
internal import NIOHTTP1

/// The routes of `callrunner serve`: health, metrics and the web page.
///
/// Hummingbird only routes the requests; the server handles the connections itself.
package struct HummingbirdRoutes: WebRoutes {
    private let responder: RouterResponder<WebContext>
    private let logger: Logger

    /// Creates the routes for the server that `monitor` is attached to.
    ///
    /// If `page` is nil, the response to requests for it explains that the page is not installed. The metrics
    /// contain the program's `version`.
    package init(monitor: ServerMonitor, page: PageFiles?, version: String, logger: Logger) {
        self.logger = logger
        let router = Router(context: WebContext.self)
        router.get("/healthz") { _, _ in await Self.health(monitor) }
        router.get("/readyz") { _, _ in await Self.readiness(monitor) }
        router.get("/metrics") { _, _ in await Self.metrics(monitor, version: version) }
        let serve: @Sendable (Request, WebContext) async -> Response = { request, _ in
            page.map { Self.file(of: $0, for: request) } ?? Self.withoutPage(request)
        }
        router.get("/", use: serve)
        router.get("/**", use: serve)
        responder = router.buildResponder()
    }

    package func respond(to request: WebRequest) async -> WebResponse {
        let context = WebContext(source: WebContext.Source(logger: logger))
        do {
            let response = try await responder.respond(to: request.forHummingbird, context: context)
            return try await WebResponse(response)
        } catch {
            logger.error("route failed", metadata: ["error": "\(error)"])
            return WebResponse(.internalServerError, text: "internal server error\n")
        }
    }

    private static func health(_ monitor: ServerMonitor) async -> Response {
        let counts = await monitor.counts() ?? ServerCounts()
        let json: JSON = [
            "status": "ok", "connections": .int(counts.connections), "rooms": .int(counts.rooms),
        ]
        return answer(.ok, json.serialized() + "\n", type: "application/json")
    }

    private static func readiness(_ monitor: ServerMonitor) async -> Response {
        guard let counts = await monitor.counts(), !counts.isDraining else {
            return answer(.serviceUnavailable, "draining\n")
        }
        // The server is still ready: otherwise, a load balancer would remove all servers when only Redis is
        // down.
        if counts.cluster?.isUp == false {
            return answer(.ok, "degraded: Redis is unreachable, and rooms are not shared\n")
        }
        return answer(.ok, "ready\n")
    }

    private static func metrics(_ monitor: ServerMonitor, version: String) async -> Response {
        var text = PrometheusText()
        text.addInfo("callrunner_build_info", "The running version; always 1.", [("version", version)])
        if let counts = await monitor.counts() { text.add(counts) }
        text.add(ProcessMeasures.current())
        return answer(.ok, text.text, type: PrometheusText.contentType)
    }

    private static func file(of page: PageFiles, for request: Request) -> Response {
        guard let file = page.file(at: RequestTarget(request.uri.path).decodedPath) else {
            return answer(.notFound, "not found: there is no such page\n")
        }
        var headers = PageSecurity.headers
        headers[.eTag] = file.entityTag
        headers[.cacheControl] = "no-cache"
        if file.matches(request.headers[values: .ifNoneMatch]) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = file.type
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body))
    }

    private static func withoutPage(_ request: Request) -> Response {
        let isRoot = request.uri.path == "/"
        let text = "callrunner signaling server: Socket.IO 5 at /socket.io/; the web page is not installed\n"
        return isRoot ? answer(.ok, text) : answer(.notFound, "not found: the web page is not installed\n")
    }

    private static func answer(
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
