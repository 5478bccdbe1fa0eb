internal import CGLib
internal import GLibKit

/// The parsed URL of an Engine.IO server.
package struct SocketEndpoint: Hashable, Sendable {
    private let isSecure: Bool
    /// The host name or IP address; an IPv6 address has no brackets.
    package let host: String
    private let port: Int32
    private let path: String
    private let query: String

    /// Creates an endpoint from a URL.
    ///
    /// - Throws: `SocketFailure.invalidURL` if `url` is not an absolute `http`, `https`, `ws` or `wss` URL,
    ///   or if it has a fragment, which is never sent to a server.
    package init(url: String, path: String, query: [String: String]) throws(SocketFailure) {
        guard let parts = URLParts(url), !parts.hasFragment, let host = parts.host, !host.isEmpty else {
            throw .invalidURL(url)
        }
        switch parts.scheme?.lowercased() {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw .invalidURL(url)
        }
        self.host = host
        port = parts.port
        let prefix = parts.path.split(separator: "/").map { "/\($0)" }.joined()
        self.path = prefix + (path.hasPrefix("/") ? path : "/\(path)")
        let fields = query.sorted { $0.key < $1.key }.map {
            "\(Self.escape($0.key))=\(Self.escape($0.value))"
        }
        self.query = ([parts.query].compactMap(\.self) + fields).joined(separator: "&")
    }

    /// Whether the host is this computer, by its name (RFC 6761 §6.3) or address.
    ///
    /// Such a host is reached without a proxy. The lookup of a proxy is omitted for it, because the lookup
    /// loads modules of GIO and takes milliseconds.
    var isLoopback: Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = g_inet_address_new_from_string(host) else { return false }
        defer { g_object_unref(address) }
        return g_inet_address_get_is_loopback(address) != 0
    }

    /// Builds the URL of a transport, with the session id if there is one.
    ///
    /// The id is a credential: a URL with an id must not be logged.
    func url(of transport: TransportName, sid: String? = nil) -> String {
        let scheme =
            switch transport {
            case .websocket: isSecure ? "wss" : "ws"
            case .polling: isSecure ? "https" : "http"
            }
        let session = sid.map { "&sid=\(Self.escape($0))" } ?? ""
        let query =
            "EIO=4&transport=\(transport.rawValue)\(session)" + (query.isEmpty ? "" : "&\(query)")
        // g_uri_join never fails, and adds the brackets of an IPv6 address.
        let text = g_uri_join(Self.flags, scheme, nil, host, port, path, query, nil)
        defer { g_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }

    fileprivate static let flags = GUriFlags(
        G_URI_FLAGS_ENCODED_PATH.rawValue | G_URI_FLAGS_ENCODED_QUERY.rawValue
            | G_URI_FLAGS_ENCODED_FRAGMENT.rawValue
    )

    private static func escape(_ text: String) -> String {
        let escaped = g_uri_escape_string(text, nil, 0)
        defer { g_free(escaped) }
        return escaped.map { String(cString: $0) } ?? ""
    }
}

/// The parts of a URL, split by `g_uri_split`.
private struct URLParts {
    var scheme: String?
    var host: String?
    var port: Int32 = -1
    var path = ""
    var query: String?
    var hasFragment = false

    init?(_ url: String) {
        var scheme: UnsafeMutablePointer<CChar>?
        var host: UnsafeMutablePointer<CChar>?
        var path: UnsafeMutablePointer<CChar>?
        var query: UnsafeMutablePointer<CChar>?
        var fragment: UnsafeMutablePointer<CChar>?
        let isURL = g_uri_split(
            url,
            SocketEndpoint.flags,
            &scheme,
            nil,
            &host,
            &port,
            &path,
            &query,
            &fragment,
            nil
        )
        defer { for text in [scheme, host, path, query, fragment] { g_free(text) } }
        guard isURL != 0 else { return nil }
        self.scheme = scheme.map { String(cString: $0) }
        self.host = host.map { String(cString: $0) }
        self.path = path.map { String(cString: $0) } ?? ""
        self.query = query.map { String(cString: $0) }
        hasFragment = fragment != nil
    }
}
