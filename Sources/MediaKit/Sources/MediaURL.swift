internal import Basics
internal import GStreamerKit
internal import Synchronization

/// The location of a media file or stream.
package enum MediaURL: Hashable, Sendable {
    case file(String)
    /// The HTTP URL of a file or of an HLS playlist, and the location from which it is loaded; nil until that is known.
    case http(String, WebMedium? = nil)
    /// The URL of a live RTSP stream.
    case rtsp(String)

    init(url: String) { self = url.lowercased().hasPrefix("rtsp") ? .rtsp(url) : .http(url) }

    /// The name of the pipeline template that demuxes the media.
    var pipeline: String {
        switch self {
        case .file: "sources/file"
        case .http: "sources/http"
        case .rtsp: "sources/rtsp"
        }
    }

    /// Whether the media is treated as a live stream; true only for RTSP.
    var isLive: Bool { if case .rtsp = self { true } else { false } }

    var isAddress: Bool { if case .file = self { false } else { true } }

    /// Sets the location in a pipeline that was built from the template named `pipeline`.
    func set(in pipeline: Pipeline) {
        switch self {
        case .file(let path):
            pipeline.element(named: "file")?.set("location", path)
            pipeline.element(named: "parsed")?.parseOnly(where: Playlists.isMedia)
        case .http(let url, let medium):
            pipeline.refuseHugeMovies()
            let source = pipeline.element(named: "http")
            let parser = pipeline.element(named: "parsed")
            // Only `WebMediaService` follows redirects, because it checks where they lead.
            if source?.has("automatic-redirect") == true { source?.set("automatic-redirect", false) }
            source?.set("location", medium?.url ?? url)
            guard case .playlist? = medium else {
                parser?.parseOnly { !Playlists.contains($0) }
                return
            }
            // `souphttpsrc` uses a proxy from the environment even for loopback addresses.
            if source?.has("proxy") == true { source?.set("proxy", "") }
            // The first playlist that arrives is the one requested, as rewritten by the gateway.
            let isFirst = Atomic(true)
            parser?.parseOnly {
                !Playlists.contains($0)
                    || $0 == Playlists.hls && isFirst.exchange(false, ordering: .relaxed)
            }
            NamedAddresses.keepOutOfSegments(in: pipeline)
        case .rtsp(let url):
            pipeline.element(named: "parsed")?.set("uri", url)
            pipeline.element(named: "parsed")?.onSourceSetup(Self.prepare)
        }
    }

    /// Reduces the latency of an RTSP source from two seconds to 200 ms, and sets its TCP timeout to 5 s.
    private static func prepare(_ source: Element) {
        if source.has("latency") { source.set("latency", 200) }
        if source.has("tcp-timeout") { source.set("tcp-timeout", 5_000_000) }
    }

    /// The location as shown in messages.
    ///
    /// A URL is shown without its user information and query, which may be secret.
    var name: String {
        switch self {
        case .file(let path): path
        case .http(let url, _), .rtsp(let url): Self.withoutSecrets(url)
        }
    }

    /// The name of a file without its folder, or the URL as in `name`.
    var shortName: String {
        guard case .file(let path) = self else { return name }
        return path.split(separator: "/").last.map(String.init) ?? path
    }

    private static func withoutSecrets(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let authority = rest.prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return "\(url[..<scheme.upperBound])\(host)\(rest[authority.endIndex...])"
    }

    /// Creates a failure with the reason why the media cannot be played, without secrets.
    func failure(_ reason: String) -> MediaFailure {
        switch self {
        case .file(let path):
            .source(
                message: "\(path) cannot be played: \(reason)",
                hint: "give an MP4, MKV or WebM file; `ffprobe \(path)` shows what it is"
            )
        case .http(let url, _), .rtsp(let url):
            .source(
                message: "\(name) cannot be played: \(reason.replacing(url, with: name))",
                hint:
                    "check the address, and that its server runs; `ffprobe ADDRESS` shows what it sends"
            )
        }
    }
}
