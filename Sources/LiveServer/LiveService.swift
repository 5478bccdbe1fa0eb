internal import FoundationEssentials
package import HTTPFront
package import Hummingbird
internal import LiveCore
package import Logging
internal import NIOCore
internal import ServerStore

/// The playlists and segments of live channels, and the playlists of recordings.
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
        var routes = ServiceRoutes()
        routes.on(.get, "/:stream") { request, context in
            let name = try context.parameters.require("stream")
            guard name.hasSuffix(Self.playlistEnd) else { throw HTTPError(.notFound) }
            let id = String(name.dropLast(Self.playlistEnd.count))
            if let channel = channel(id) {
                let token = try await recordedStreams?.admit(request.playbackToken, to: channel)
                return try await Self.playlist(of: channel, token)
            }
            guard
                let (path, token) = try await recordedStreams?.playlist(
                    ofRecording: id,
                    request.playbackToken
                )
            else {
                throw HTTPError(.notFound, message: "there is no such live stream")
            }
            guard let token else {
                return try await .file(path, type: Self.type, headers: Self.headers, for: request, context)
            }
            guard let text = try await FileThreads.run({ try? String(contentsOfFile: path, encoding: .utf8) })
            else { throw HTTPError(.notFound) }
            return Self.playlist(SignedPlaylist.text(text, token))
        }
        routes.on(.get, "/:stream/:segment") { request, context in
            let name = try context.parameters.require("segment")
            let channel = channel(try context.parameters.require("stream"))
            if let channel, channel.needsToken {
                _ = try await recordedStreams?.admit(request.playbackToken, to: channel)
            }
            guard let channel, name.hasSuffix(Self.segmentEnd),
                let number = Int(name.dropLast(Self.segmentEnd.count)), let segment = channel.segment(number)
            else { throw HTTPError(.notFound, message: "there is no such segment any more") }
            context.limit(Self.timeToRead(segment))
            var headers: HTTPFields = [.contentType: "video/mp2t"]
            // A shared cache could leave the token out of its key.
            headers[.cacheControl] = channel.needsToken ? "private, max-age=60" : "max-age=60"
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
    private static let type = "application/vnd.apple.mpegurl"
    private static let headers: HTTPFields = [.cacheControl: "no-cache", .xContentTypeOptions: "nosniff"]

    /// Returns whether the path is that of a playlist, which is directly below the root, or of a segment, which is one
    /// folder deeper.
    package func owns(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count == 1 && path.hasSuffix(Self.playlistEnd)
            || parts.count == 2 && path.hasSuffix(Self.segmentEnd)
    }

    package func respond(to request: Request, _ context: WebContext) async -> Response {
        await responder.respond(to: request, context)
    }

    /// Returns the playlist of a channel.
    ///
    /// - Throws: `HTTPError` with the status 412 while nothing is published.
    private static func playlist(of channel: LiveChannel, _ token: String?) async throws -> Response {
        guard let text = await channel.playlist() else {
            throw HTTPError(.preconditionFailed, message: "the live stream is idle")
        }
        return playlist(token.map { SignedPlaylist.text(text, $0) } ?? text)
    }

    private static func playlist(_ text: String) -> Response {
        var headers = Self.headers
        headers[.contentType] = Self.type
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

extension Request {
    /// The token in the address of a signed playback ID.
    var playbackToken: String? { uri.queryParameters["token"].map(String.init) }
}
