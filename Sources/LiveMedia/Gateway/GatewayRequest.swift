internal import Basics
internal import FoundationEssentials

/// A request from GStreamer's demuxer to the gateway.
struct GatewayRequest: Hashable, Sendable {
    /// The maximum length of a request head in bytes.
    static let maximumLength = 32 << 10
    /// The maximum length of a URL to load, in bytes.
    private static let maximumURL = 8 << 10

    /// The HTTP or HTTPS URL to load; empty if the address in the playlist was rejected.
    let url: String
    /// The value of the header field `Range`, which requests a part of the file; nil for the whole file.
    private(set) var range: String?
    /// The value of the header field `Cache-Control`, if there is one.
    private(set) var cacheControl: String?
    /// The value of the header field `Referer` for the server; nil if the playlist that contains the URL is unknown or
    /// must not be disclosed.
    private(set) var referer: String?
    /// Whether the demuxer accepts a compressed response.
    private(set) var acceptsCompression = false

    /// Parses the head of a request; nil if it is not a valid request to the gateway.
    init?(_ head: String) {
        let lines = head.split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count == 3,
            words[0] == "GET", let url = Self.url(at: words[1])
        else { return nil }
        self.url = url
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }
            let value = String(line[name.endIndex...].dropFirst().trimmingPrefix(" "))
            switch name.lowercased() {
            case "range": range = value
            case "cache-control": cacheControl = value
            case "referer": referer = Self.url(ofAddress: value).flatMap { Self.referer($0, for: url) }
            case "accept-encoding": acceptsCompression = true
            default: break
            }
        }
    }

    /// Returns the path at which the gateway serves the content of a URL.
    static func path(of url: String) -> String {
        let encoded = Data(url.utf8).base64EncodedString()
        let safe = encoded.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        // The demuxer ignores the name, which shows readers of its messages which segment is meant.
        let name = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
        let harmless = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        return "/\(String(safe))/\(harmless)"
    }

    private static func url(at path: Substring) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty else { return nil }
        return Base64.decodeURL(parts[1]).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Extracts the URL whose content the gateway serves at one of its addresses; nil if the address is invalid.
    private static func url(ofAddress address: String) -> String? {
        let rest = address.trimmingPrefix("http://")
        return rest.firstIndex(of: "/").flatMap { url(at: rest[$0...]) }
    }

    /// Returns the value of `Referer` for a URL in a playlist: the playlist's URL for its own server, and only its
    /// origin for other servers, because the rest may be secret.
    ///
    /// The value is nil if it would be sent unencrypted although the playlist was loaded over HTTPS, or if one of the
    /// URLs is invalid.
    private static func referer(_ playlist: String, for url: String) -> String? {
        guard let from = URL(string: playlist), let to = URL(string: url), let host = from.host() else {
            return nil
        }
        let isSame = from.scheme == to.scheme && host == to.host() && from.port == to.port
        guard !isSame else { return playlist }
        guard from.scheme != "https" || to.scheme == "https" else { return nil }
        return "\(from.scheme ?? "http")://\(host)\(from.port.map { ":\($0)" } ?? "")/"
    }

    /// Whether a URL refers to a narrower network than the URL from which it was obtained, for example to this computer
    /// instead of the Internet.
    static func isNarrower(_ url: URL, than base: URL?) -> Bool {
        guard let base, let host = url.host(), let baseHost = base.host() else { return false }
        func reach(_ host: String) -> HostReach {
            HostReach(host: String(host.drop { $0 == "[" }.prefix { $0 != "]" }))
        }
        return reach(host) < reach(baseHost)
    }

    /// Resolves an address in a playlist; empty if it is not an HTTP or HTTPS URL, is too long, or refers to a narrower
    /// network.
    static func resolve(_ address: String, against base: URL?) -> String {
        guard address.utf8.count <= maximumURL,
            let url = URL(string: address, relativeTo: base), url.host()?.isEmpty == false,
            let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https"
        else { return "" }
        guard !isNarrower(url, than: base) else { return "" }
        let absolute = url.absoluteString
        return absolute.utf8.count <= maximumURL ? absolute : ""
    }
}
