package import HTTPFront
package import Hummingbird
internal import LiveCore
package import Logging
internal import NIOCore

/// The playlists and segments of live channels, and the recordings of live streams.
package struct LiveService: WebService {
    package let name = "live"
    package let isReadOnly = true
    private let responder: ServiceResponder

    /// The limits for clients; a player requests about one playlist and one segment per second, and many players may
    /// share an address.
    package let limits: ServiceLimits = {
        var limits = ServiceLimits()
        limits.requestsPerMinute = 6000
        return limits
    }()

    /// Creates the service; `channel` returns the channel with a playback ID, or nil.
    package init(
        logger: Logger,
        recordedStreams: LiveStreams? = nil,
        channel: @escaping @Sendable (String) -> LiveChannel?
    ) {
        let recordings = recordedStreams?.recordings
        var routes = ServiceRoutes()
        routes.on(.get, "/:stream") { _, context in
            let name = try context.parameters.require("stream")
            guard name.hasSuffix(Self.playlistEnd) else { throw HTTPError(.notFound) }
            let id = String(name.dropLast(Self.playlistEnd.count))
            if let channel = channel(id) { return try await Self.playlist(of: channel) }
            guard let text = try await recordings?.playlist(id) else {
                throw HTTPError(.notFound, message: "there is no such live stream")
            }
            return Self.response(playlist: text)
        }
        routes.on(.get, "/:stream/:segment") { request, context in
            let name = try context.parameters.require("segment")
            if name.hasSuffix(Self.fileEnd), let number = Int(name.dropLast(Self.fileEnd.count)),
                let path = try await recordings?
                    .file(number, of: try context.parameters.require("stream"))
            {
                let headers: HTTPFields = [.xContentTypeOptions: "nosniff"]
                return try await .file(path, type: "video/mp4", headers: headers, for: request, context)
            }
            guard let channel = channel(try context.parameters.require("stream")),
                name.hasSuffix(Self.segmentEnd), let number = Int(name.dropLast(Self.segmentEnd.count)),
                let segment = channel.segment(number)
            else { throw HTTPError(.notFound, message: "there is no such segment any more") }
            context.limit(Self.timeToRead(segment))
            var headers: HTTPFields = [.contentType: "video/mp2t"]
            headers[.cacheControl] = "max-age=60"
            headers[.xContentTypeOptions] = "nosniff"
            return Response(status: .ok, headers: headers, body: ResponseBody(sharing: segment.bytes))
        }
        responder = routes.responder(logger)
    }

    /// Returns the time within which a client must read a segment: three times its duration, but at least ten seconds.
    ///
    /// A client that needs longer cannot play the stream. A segment remains in memory while a client reads it, even after
    /// the channel has dropped it.
    static func timeToRead(_ segment: LiveSegment) -> Duration { max(.seconds(10), segment.duration * 3) }

    private static let playlistEnd = ".m3u8"
    private static let segmentEnd = ".ts"
    /// The end of the names of a recording's files.
    private static let fileEnd = ".mp4"

    /// Returns whether the path is that of a playlist, which is directly below the root, or of a segment or a recording's
    /// file, which are one folder deeper.
    package func owns(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count == 1 && path.hasSuffix(Self.playlistEnd)
            || parts.count == 2 && (path.hasSuffix(Self.segmentEnd) || path.hasSuffix(Self.fileEnd))
    }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    /// Returns the playlist of a channel.
    ///
    /// - Throws: `HTTPError` with the status 412 while nothing is published.
    private static func playlist(of channel: LiveChannel) async throws -> Response {
        guard let text = await channel.playlist() else {
            throw HTTPError(.preconditionFailed, message: "the live stream is idle")
        }
        return response(playlist: text)
    }

    private static func response(playlist: String) -> Response {
        var headers: HTTPFields = [.contentType: "application/vnd.apple.mpegurl"]
        headers[.cacheControl] = "no-cache"
        headers[.xContentTypeOptions] = "nosniff"
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: playlist))
        )
    }
}
