internal import Basics
package import HTTPFront
package import Hummingbird
package import Logging

/// The API that creates and manages live streams and their recordings, with the shapes of Mux's.
package struct LiveStreamsService: WebService {
    package let name = "live-streams"
    package let limits: ServiceLimits = {
        var limits = ServiceLimits()
        limits.requestsPerMinute = 600
        limits.collectedBody = LiveRoutes.maximumBody
        return limits
    }()

    private static let streams = "/video/v1/live-streams"
    private static let assets = "/video/v1/assets"
    /// The path of signing keys, and an older one.
    private static let signingKeys = ["/system/v1/signing-keys", "/video/v1/signing-keys"]

    private let responder: ServiceResponder

    package init(_ streams: LiveStreams, _ token: LiveToken, logger: Logger) {
        var routes = LiveRoutes(token, logger: logger)
        Self.addStreams(streams, to: &routes)
        Self.addAssets(streams, to: &routes)
        for path in Self.signingKeys { Self.addSigningKeys(streams.signingKeys, at: path, to: &routes) }
        responder = routes.all.responder(logger)
    }

    package func owns(_ path: String) -> Bool {
        ([Self.streams, Self.assets] + Self.signingKeys).contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    // MARK: Streams

    private static func addStreams(_ streams: LiveStreams, to routes: inout LiveRoutes) {
        let directory = streams.directory
        routes.on(.post, Self.streams) { request, _ in
            let wanted = try await WantedStream(request, maximumBody: LiveRoutes.maximumBody)
            let record = try await streams.create(
                wanted.latency,
                reconnectWindow: wanted.reconnectWindow,
                policy: wanted.policy,
                recordingPolicy: wanted.recordingPolicy,
                passthrough: wanted.passthrough
            )
            return Response(.created, ["data": json(.init(record: record))])
        }
        routes.list(Self.streams) { directory.streams(skipping: $0, most: $1).map(json) }
        routes.on(.get, "\(Self.streams)/:id") { _, context in
            let id = try context.parameters.require("id")
            guard let stream = directory.stream(id) else { throw LiveRefusal.notFound }
            return Response(.ok, ["data": json(stream)])
        }
        routes.on(.delete, "\(Self.streams)/:id") { _, context in
            try await streams.delete(try context.parameters.require("id"))
            return Response(status: .noContent)
        }
        for (path, isDisabled) in [("disable", true), ("enable", false)] {
            routes.on(.put, "\(Self.streams)/:id/\(path)") { _, context in
                _ = try await streams.change(try context.parameters.require("id")) {
                    $0.isDisabled = isDisabled
                }
                return Response(.ok, ["data": [:]])
            }
        }
        routes.on(.put, "\(Self.streams)/:id/complete") { _, context in
            let id = try context.parameters.require("id")
            guard directory.stream(id) != nil else { throw LiveRefusal.notFound }
            directory.complete(id)
            return Response(.ok, ["data": [:]])
        }
        routes.on(.post, "\(Self.streams)/:id/reset-stream-key") { _, context in
            let id = try context.parameters.require("id")
            let record = try await streams.change(id) { $0.key = StreamRecord.randomText(36) }
            return Response(.created, ["data": json(directory.stream(id) ?? .init(record: record))])
        }
    }

    private static func json(_ stream: StreamDirectory.Description) -> JSON {
        let record = stream.record
        var members: JSONObject = [
            "id": .string(record.id), "created_at": .string("\(record.created)"),
            "stream_key": .string(record.key), "status": .string(stream.status.rawValue),
            "playback_ids": playbackIDs(record.playbackID, record.policy),
            "latency_mode": .string(record.latency.rawValue),
            "reconnect_window": .int(record.reconnectWindow),
        ]
        if let policy = record.recordingPolicy {
            members["new_asset_settings"] = ["playback_policies": [.string(policy.rawValue)]]
        }
        if let rates = stream.rates {
            members["health"] = [
                "bitrate": .int(rates.bitrate), "frame_rate": .number(rates.frameRate),
                "keyframe_distance": .number(Double(rates.keyframeDistance) / 1000),
            ]
        }
        if stream.status == .active { members["viewers"] = .int(stream.viewers) }
        if let recording = stream.recording { members["active_asset_id"] = .string(recording) }
        if !stream.recordings.isEmpty {
            members["recent_asset_ids"] = .array(stream.recordings.map { .string($0) })
        }
        if let passthrough = record.passthrough { members["passthrough"] = .string(passthrough) }
        return .object(members)
    }

    private static func playbackIDs(_ id: String, _ policy: PlaybackPolicy) -> JSON {
        [["id": .string(id), "policy": .string(policy.rawValue)]]
    }

    // MARK: Recordings

    private static func addAssets(_ streams: LiveStreams, to routes: inout LiveRoutes) {
        let table = streams.recordings.table
        routes.list(Self.assets) { try await table.page(skipping: $0, most: $1).map(json) }
        routes.on(.get, "\(Self.assets)/:id") { _, context in
            let id = try context.parameters.require("id")
            guard let recording = try await table.recording(id) else { throw LiveRefusal.noAsset }
            return Response(.ok, ["data": json(recording)])
        }
        routes.on(.delete, "\(Self.assets)/:id") { _, context in
            try await streams.delete(recording: try context.parameters.require("id"))
            return Response(status: .noContent)
        }
    }

    private static func json(_ recording: RecordingRecord) -> JSON {
        var members: JSONObject = [
            "id": .string(recording.id), "created_at": .string("\(recording.created)"),
            "playback_ids": playbackIDs(recording.playbackID, recording.policy),
            "live_stream_id": .string(recording.stream),
            "is_live": .bool(recording.isActive),
        ]
        if recording.isActive {
            members["status"] = "preparing"
        } else if recording.milliseconds > 0 {
            members["status"] = "ready"
            members["duration"] = .number(Double(recording.milliseconds) / 1000)
        } else {
            members["status"] = "errored"
            members["errors"] = [
                "type": "no_media", "messages": ["the encoder has sent nothing, or nothing could be stored"],
            ]
        }
        return .object(members)
    }

    // MARK: Signing keys

    private static func addSigningKeys(_ keys: SigningKeys, at path: String, to routes: inout LiveRoutes) {
        routes.on(.post, path) { _, _ in
            let new = try await keys.create()
            var members = json(new.record)
            members["private_key"] = .string(Base64.encode(Array(new.privateKey.utf8)))
            return Response(.created, ["data": .object(members)])
        }
        routes.list(path) { skipped, most in
            keys.records.dropFirst(skipped).prefix(most).map { .object(json($0)) }
        }
        routes.on(.get, "\(path)/:id") { _, context in
            let id = try context.parameters.require("id")
            guard let record = keys.records.first(where: { $0.id == id }) else {
                throw LiveRefusal.noSigningKey
            }
            return Response(.ok, ["data": .object(json(record))])
        }
        routes.on(.delete, "\(path)/:id") { _, context in
            try await keys.delete(try context.parameters.require("id"))
            return Response(status: .noContent)
        }
    }

    private static func json(_ key: SigningKeyRecord) -> JSONObject {
        ["id": .string(key.id), "created_at": .string("\(key.created)")]
    }
}
