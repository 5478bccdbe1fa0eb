internal import SoupKit

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
            "\(URLParts.escape($0.key))=\(URLParts.escape($0.value))"
        }
        self.query = ([parts.query].compactMap(\.self) + fields).joined(separator: "&")
    }

    /// Whether the host is this computer.
    var isLoopback: Bool { URLParts.isLoopback(host) }

    /// Builds the URL of a transport, with the session id if there is one.
    ///
    /// The id is a credential: a URL with an id must not be logged.
    func url(of transport: TransportName, sid: String? = nil) -> String {
        let scheme =
            switch transport {
            case .websocket: isSecure ? "wss" : "ws"
            case .polling: isSecure ? "https" : "http"
            }
        let session = sid.map { "&sid=\(URLParts.escape($0))" } ?? ""
        let query =
            "EIO=4&transport=\(transport.rawValue)\(session)" + (query.isEmpty ? "" : "&\(query)")
        return URLParts.join(scheme: scheme, host: host, port: port, path: path, query: query)
    }
}
