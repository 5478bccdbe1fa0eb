package import Hummingbird
package import Logging
internal import NIOCore
internal import Synchronization

/// The routes of a service, by method and path.
package struct ServiceRoutes {
    package typealias Answer = @Sendable (Request, WebContext) async throws -> Response

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .trace]

    private let router = Router(context: WebContext.self)
    private var methods: [String: [HTTPRequest.Method]] = [:]

    private let refusal: @Sendable (any Error) -> Response?

    /// Creates an empty list; `refusal` makes the responses for errors that routes throw, and returns nil for unknown
    /// errors.
    package init(refusal: @escaping @Sendable (any Error) -> Response? = { _ in nil }) {
        self.refusal = refusal
    }

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path as for Hummingbird, such as `/users/:id`; trailing slashes are ignored.
    ///   - maximumBody: The maximum length of the body in bytes; longer ones are refused with 413. If nil, a body is
    ///     refused with 400.
    ///   - answer: Makes the response; called for several requests concurrently.
    package mutating func on(
        _ method: HTTPRequest.Method,
        _ path: String,
        maximumBody: Int? = nil,
        use answer: @escaping Answer
    ) {
        let key = "/" + path.split(separator: "/").joined(separator: "/")
        methods[key, default: []].append(method)
        router.on(RouterPath(path), method: method) { [refusal] request, context in
            let failure = BodyFailure()
            let request = try Self.bounded(request, maximumBody, failure)
            do {
                return try await answer(request, context)
            } catch {
                if let response = refusal(error) { return response }
                // Libraries wrap the error of a body that they read.
                throw failure.value ?? error
            }
        }
    }

    /// Creates the responder of the routes; a known path with another method is answered with 405.
    package func responder(_ logger: Logger) -> ServiceResponder {
        for (path, known) in methods {
            var allowed = known + [.options]
            if known.contains(.get) { allowed.append(.head) }
            let field = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            for method in Self.methods where !known.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    Response(status: .methodNotAllowed, headers: [.allow: field])
                }
            }
        }
        return ServiceResponder(routes: router.buildResponder(), logger: logger)
    }

    private static func bounded(
        _ request: Request,
        _ maximum: Int?,
        _ failure: BodyFailure
    ) throws -> Request {
        let announced = request.headers[.contentLength].map { Int($0) ?? .max }
        guard let maximum else {
            guard announced ?? 0 == 0, request.headers[.transferEncoding] == nil else {
                throw HTTPError(.badRequest, message: "no body is expected")
            }
            return request
        }
        guard announced ?? 0 <= maximum else { throw HTTPError(.contentTooLarge) }
        var request = request
        request.body = RequestBody(
            asyncSequence: BoundedBody(body: request.body, maximum: maximum, failure: failure)
        )
        return request
    }
}

/// The responder of a service, which answers requests by their routes.
package struct ServiceResponder: Sendable {
    fileprivate let routes: RouterResponder<WebContext>
    fileprivate let logger: Logger

    /// Answers a request by its route; an error that is not an HTTP error is logged, and answered with 500.
    package func respond(to request: Request, _ context: WebContext) async -> Response {
        do {
            return try await routes.respond(to: request, context: context)
        } catch is RequestBodyPipe.Aborted, is CancellationError {
            // Nobody receives this response.
            return Response(status: .badRequest)
        } catch {
            logger.error("route failed", metadata: ["error": "\(error)"])
            return Response(
                status: .internalServerError,
                headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "internal server error\n"))
            )
        }
    }
}

/// The parts of a request's body; reading them throws an `HTTPError` if they exceed a maximum.
private struct BoundedBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator
        var left: Int
        let failure: BodyFailure

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            do {
                guard let part = try await parts.next(isolation: actor) else { return nil }
                left -= part.readableBytes
                guard left >= 0 else { throw HTTPError(.contentTooLarge) }
                return part
            } catch {
                failure.value = error
                throw error
            }
        }
    }

    let body: RequestBody
    let maximum: Int
    let failure: BodyFailure

    func makeAsyncIterator() -> Iterator {
        Iterator(parts: body.makeAsyncIterator(), left: maximum, failure: failure)
    }
}

/// The error that ended the body of one request.
private final class BodyFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    var value: (any Error)? {
        get { error.withLock(\.self) }
        set { error.withLock { $0 = newValue } }
    }
}
