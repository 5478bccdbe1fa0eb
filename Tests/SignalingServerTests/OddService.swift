import FrontParsers
import HTTPFront
import Hummingbird
import Logging
import NIOCore

/// A service that does what services should not do.
struct OddService: WebService {
    let name = "odd"
    var limits = ServiceLimits()
    private let responder: ServiceResponder
    /// Receives the names of requests whose task was cancelled.
    private let cancelled: AsyncStream<String>.Continuation

    init(cancelled: AsyncStream<String>.Continuation) {
        self.cancelled = cancelled
        var routes = ServiceRoutes()
        routes.on(.put, "/odd/twice", maximumBody: 100) { request, _ in
            for try await _ in request.body {}
            for try await _ in request.body {}
            return Response(status: .ok)
        }
        // Answers before it reads.
        routes.on(.put, "/odd/early", maximumBody: 100) { request, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "first"))
                    for try await part in request.body { try await writer.write(part) }
                    try await writer.finish(nil)
                }
            )
        }
        routes.on(.get, "/odd/none") { _, _ in
            Response(
                status: .noContent,
                headers: [.contentLength: "7", .transferEncoding: "chunked"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "content"))
            )
        }
        routes.on(.get, "/odd/unfinished") { _, _ in
            Response(status: .ok, body: ResponseBody { try await $0.write(ByteBuffer(string: "part")) })
        }
        routes.on(.get, "/odd/limited") { _, context in
            let limit = context.limit
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "first"))
                limit(.milliseconds(100))
                try await writer.write(ByteBuffer(repeating: 0x30, count: 50_000_000))
                try await writer.finish(nil)
            }
            return Response(status: .ok, body: body)
        }
        routes.on(.get, "/odd/never") { _, _ in
            await Self.waitForCancellation { cancelled.yield("never") }
            return Response(status: .ok)
        }
        responder = routes.responder(Logger(label: "odd") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func waitForCancellation(_ note: @escaping @Sendable () -> Void) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in ends {}
        } onCancel: {
            note()
            end.finish()
        }
    }

    func owns(_ path: String) -> Bool { path.hasPrefix("/odd/") }

    func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    func openSocket(_ request: Request, _ context: WebContext) async -> SocketDecision {
        if request.uri.path == "/odd/undecided" {
            await Self.waitForCancellation { [cancelled] in cancelled.yield("undecided") }
        }
        return .accept { Silent() }
    }

    private final class Silent: ServiceSocketDelegate {
        func socketDidOpen(_ socket: ServiceSocket) {}

        func socket(_ socket: ServiceSocket, didReceive message: FramedMessage) {}

        func socketDidClose(_ socket: ServiceSocket) {}
    }
}
