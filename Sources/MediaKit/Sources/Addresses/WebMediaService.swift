/// A service that locates the media of HTTP URLs, and prevents web servers from directing this computer to
/// itself or to private networks.
package protocol WebMediaService: Sendable {
    /// Follows the redirects of a URL, and determines whether it leads to a playlist.
    ///
    /// - Throws: `WebMediaFailure`, or `CancellationError`.
    func find(_ url: String) async throws -> WebMedium

    /// Starts a gateway through which a demuxer loads the HLS playlist at a URL and everything that the playlist refers
    /// to.
    ///
    /// - Throws: `WebMediaFailure`.
    func gateway(to playlist: String) async throws -> any PlaylistGateway
}

/// The media to which an HTTP URL leads.
package enum WebMedium: Hashable, Sendable {
    /// The URL of a file, after all redirects.
    case file(String)
    /// The URL of an HLS playlist.
    case playlist(String)

    var url: String {
        switch self {
        case .file(let url), .playlist(let url): url
        }
    }
}

/// The reason why the media of a URL must not or cannot be loaded, without a full stop.
package struct WebMediaFailure: Error {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// A server in this process that checks which addresses a demuxer loads.
package protocol PlaylistGateway: Sendable {
    /// The address at which the playlist is offered.
    var address: String { get }
    /// The reason why something recently failed to load; nil if nothing did.
    var failure: String? { get async }

    /// Answers all pending requests, so that the demuxer can be closed.
    func finish() async

    /// Ends the gateway; calls after the first one have no effect.
    func close() async
}
