internal import Basics
internal import FrontParsers
package import HTTPFront
package import Hummingbird
package import Logging
internal import NIOCore

/// The pages of `callrunner serve`: health, metrics and the web page.
package struct PageService: WebService {
    package let name = "page"
    package let hasDocuments = true
    package let isReadOnly = true
    private let responder: ServiceResponder

    /// Creates the pages of the server that `monitor` is attached to.
    ///
    /// If `page` is nil, the response to requests for it explains that the page is not installed. The metrics
    /// contain the program's `version`, and those that `addMetrics` adds.
    package init(
        monitor: ServerMonitor,
        page: PageFiles?,
        version: String,
        logger: Logger,
        addMetrics: @escaping @Sendable (inout PrometheusText) -> Void = { _ in }
    ) {
        let process = RecentMeasures()
        var routes = ServiceRoutes()
        routes.on(.get, "/healthz") { _, _ in await Self.health(monitor) }
        routes.on(.get, "/readyz") { _, _ in await Self.readiness(monitor) }
        routes.on(.get, "/metrics") { _, _ in
            await Self.metrics(monitor, process, version: version, addMetrics)
        }
        for path in ["/", "/**"] {
            routes.on(.get, path) { request, _ in
                page.map { Self.file(of: $0, for: request) } ?? Self.withoutPage(request)
            }
        }
        responder = routes.responder(logger)
    }

    package func owns(_ path: String) -> Bool { true }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    private static func health(_ monitor: ServerMonitor) async -> Response {
        let counts = await monitor.counts() ?? ServerCounts()
        let json: JSON = [
            "status": "ok", "connections": .int(counts.front.connections), "rooms": .int(counts.rooms),
        ]
        return DescriptionService.answer(.ok, json.serialized() + "\n", type: "application/json")
    }

    private static func readiness(_ monitor: ServerMonitor) async -> Response {
        guard let counts = await monitor.counts(), !counts.isDraining else {
            return DescriptionService.answer(.serviceUnavailable, "draining\n")
        }
        // The server is still ready: otherwise, a load balancer would remove all servers when only Redis is
        // down.
        if counts.cluster?.isUp == false {
            return DescriptionService.answer(
                .ok,
                "degraded: Redis is unreachable, and rooms are not shared\n"
            )
        }
        return DescriptionService.answer(.ok, "ready\n")
    }

    private static func metrics(
        _ monitor: ServerMonitor,
        _ process: RecentMeasures,
        version: String,
        _ addMetrics: (inout PrometheusText) -> Void
    ) async -> Response {
        var text = PrometheusText()
        text.addInfo("callrunner_build_info", "The running version; always 1.", [("version", version)])
        if let counts = await monitor.counts() { text.add(counts) }
        addMetrics(&text)
        text.add(process.current())
        return DescriptionService.answer(.ok, text.text, type: PrometheusText.contentType)
    }

    private static func file(of page: PageFiles, for request: Request) -> Response {
        guard let file = page.file(at: RequestTarget(request.uri.path).decodedPath) else {
            return DescriptionService.answer(.notFound, "not found: there is no such page\n")
        }
        var headers = PageSecurity.headers
        headers[.eTag] = file.entityTag
        headers[.cacheControl] = "no-cache"
        if EntityTag.matches(file.entityTag, request.headers[values: .ifNoneMatch]) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = file.type
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.body))
    }

    private static func withoutPage(_ request: Request) -> Response {
        let isRoot = request.uri.path == "/"
        let text =
            "callrunner signaling server: Socket.IO protocol 5 at /socket.io/; the web page is not installed\n"
        return isRoot
            ? DescriptionService.answer(.ok, text)
            : DescriptionService.answer(.notFound, "not found: the web page is not installed\n")
    }
}
