internal import Basics
package import HTTPFront
package import Hummingbird
package import Logging
internal import NIOCore
internal import ServerStore

/// The API that creates and manages live streams, with the shapes of Mux's.
package struct LiveStreamsService: WebService {
    package let name = "live-streams"
    package let limits: ServiceLimits = {
        var limits = ServiceLimits()
        limits.requestsPerMinute = 600
        limits.collectedBody = maximumBody
        return limits
    }()

    private static let root = "/video/v1/live-streams"
    /// The maximum length of a body in bytes.
    private static let maximumBody = 16_384
    /// The maximum and the default number of streams in a list.
    private static let (longestList, usualList) = (100, 25)

    private let responder: ServiceResponder

    package init(_ streams: LiveStreams, _ token: LiveToken, logger: Logger) {
        var routes = ServiceRoutes { error in
            if let refusal = error as? LiveRefusal { return refusal.response }
            guard let failure = error as? ServerStoreFailure else { return nil }
            logger.error("live streams: \(failure.message)")
            return LiveRefusal.unavailable.response
        }
        func on(
            _ method: HTTPRequest.Method,
            _ path: String,
            maximumBody: Int? = nil,
            _ answer: @escaping ServiceRoutes.Answer
        ) {
            routes.on(method, Self.root + path, maximumBody: maximumBody) { request, context in
                guard token.admits(request) else { throw LiveRefusal.unauthorized }
                return try await answer(request, context)
            }
        }
        func change(_ path: String, _ body: @escaping @Sendable (inout StreamRecord) -> Void) {
            on(.put, "/:id/\(path)", maximumBody: Self.maximumBody) { _, context in
                _ = try await streams.change(try context.parameters.require("id"), body)
                return Response(.ok, ["data": [:]])
            }
        }
        on(.post, "", maximumBody: Self.maximumBody) { request, _ in
            let wanted = try await WantedStream(request, maximumBody: Self.maximumBody)
            let record = try await streams.create(
                wanted.latency,
                reconnectWindow: wanted.reconnectWindow,
                passthrough: wanted.passthrough
            )
            return Response(.created, ["data": Self.json(record, .idle)])
        }
        on(.get, "") { request, _ in
            let parameters = request.uri.queryParameters
            let limit = parameters["limit"].flatMap { Int($0) } ?? Self.usualList
            let page = parameters["page"].flatMap { Int($0) } ?? 1
            guard 1...Self.longestList ~= limit, 1...LiveStreams.most ~= page else {
                throw LiveRefusal.invalid("limit must be from 1 to \(Self.longestList), and page from 1")
            }
            let found = streams.directory.streams(skipping: (page - 1) * limit, most: limit)
            return Response(.ok, ["data": .array(found.map { Self.json($0.record, $0.status) })])
        }
        on(.get, "/:id") { _, context in
            let id = try context.parameters.require("id")
            guard let (record, status) = streams.directory.stream(id) else { throw LiveRefusal.notFound }
            return Response(.ok, ["data": Self.json(record, status)])
        }
        on(.delete, "/:id", maximumBody: Self.maximumBody) { _, context in
            try await streams.delete(try context.parameters.require("id"))
            return Response(status: .noContent)
        }
        change("disable") { $0.isDisabled = true }
        change("enable") { $0.isDisabled = false }
        on(.put, "/:id/complete", maximumBody: Self.maximumBody) { _, context in
            let id = try context.parameters.require("id")
            guard streams.directory.stream(id) != nil else { throw LiveRefusal.notFound }
            streams.directory.complete(id)
            return Response(.ok, ["data": [:]])
        }
        on(.post, "/:id/reset-stream-key", maximumBody: Self.maximumBody) { _, context in
            let id = try context.parameters.require("id")
            let record = try await streams.change(id) { $0.key = StreamRecord.randomText(36) }
            let status = streams.directory.stream(id)?.status ?? .idle
            return Response(.created, ["data": Self.json(record, status)])
        }
        responder = routes.responder(logger)
    }

    package func owns(_ path: String) -> Bool { path == Self.root || path.hasPrefix(Self.root + "/") }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    private static func json(_ record: StreamRecord, _ status: StreamDirectory.Status) -> JSON {
        var members: JSONObject = [
            "id": .string(record.id), "created_at": .string("\(record.created)"),
            "stream_key": .string(record.key), "status": .string(status.rawValue),
            "playback_ids": [["id": .string(record.playbackID), "policy": "public"]],
            "latency_mode": .string(record.latency.rawValue),
            "reconnect_window": .int(record.reconnectWindow),
        ]
        if let passthrough = record.passthrough { members["passthrough"] = .string(passthrough) }
        return .object(members)
    }
}
