package import HTTPFront
package import Hummingbird
package import Logging

/// The files of the recordings of live streams.
///
/// It is a service of its own, so that long downloads take no places from players of live streams.
package struct RecordingService: WebService {
    package let name = "recordings"
    package let isReadOnly = true
    private let responder: ServiceResponder

    private static let end = ".mp4"

    package let limits: ServiceLimits = {
        var limits = ServiceLimits()
        limits.requestsPerMinute = 6000
        return limits
    }()

    package init(_ streams: LiveStreams, logger: Logger) {
        var routes = ServiceRoutes()
        routes.on(.get, "/:recording/:file") { request, context in
            let name = try context.parameters.require("file")
            guard name.hasSuffix(Self.end), let number = Int(name.dropLast(Self.end.count)),
                let path = try await streams.path(
                    ofFile: number,
                    of: context.parameters.require("recording"),
                    request.playbackToken
                )
            else { throw HTTPError(.notFound, message: "there is no such recording") }
            let headers: HTTPFields = [.xContentTypeOptions: "nosniff"]
            return try await .file(path, type: "video/mp4", headers: headers, for: request, context)
        }
        responder = routes.responder(logger)
    }

    /// Returns whether the path is that of a file of a recording.
    package func owns(_ path: String) -> Bool {
        path.hasSuffix(Self.end) && path.split(separator: "/").count == 2
    }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }
}
