internal import CGLib

/// The parts of a URL, split by `g_uri_split`.
package struct URLParts {
    package private(set) var scheme: String?
    /// The host name or IP address; an IPv6 address has no brackets.
    package private(set) var host: String?
    /// The port; −1 if the URL names none.
    package private(set) var port: Int32 = -1
    package private(set) var path = ""
    package private(set) var query: String?
    package private(set) var hasFragment = false

    /// Splits a URL and leaves percent-encoded parts encoded; nil if it is malformed.
    package init?(_ url: String) {
        var scheme: UnsafeMutablePointer<CChar>?
        var host: UnsafeMutablePointer<CChar>?
        var path: UnsafeMutablePointer<CChar>?
        var query: UnsafeMutablePointer<CChar>?
        var fragment: UnsafeMutablePointer<CChar>?
        let isURL = g_uri_split(
            url,
            Self.flags,
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

    /// The flags that leave path, query and fragment as they are encoded.
    private static let flags = GUriFlags(
        G_URI_FLAGS_ENCODED_PATH.rawValue | G_URI_FLAGS_ENCODED_QUERY.rawValue
            | G_URI_FLAGS_ENCODED_FRAGMENT.rawValue
    )

    /// The scheme, host and port in normalized form (RFC 6454 §4); nil without a scheme or a host.
    package var origin: String? {
        guard let scheme = scheme?.lowercased(), let host = host?.lowercased() else { return nil }
        let usual: Int32 = scheme == "https" || scheme == "wss" ? 443 : 80
        return "\(scheme)://\(host):\(port < 0 ? usual : port)"
    }

    package var isLoopback: Bool { host.map(Self.isLoopback) ?? false }

    /// Whether a host is this computer, by its name (RFC 6761 §6.3) or address.
    ///
    /// Such a host is reached without a proxy. Callers therefore skip GIO's proxy lookup, which would load modules and
    /// take milliseconds.
    package static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = g_inet_address_new_from_string(host) else { return false }
        defer { g_object_unref(address) }
        return g_inet_address_get_is_loopback(address) != 0
    }

    /// Joins the encoded parts of a URL; a port of −1 is left out.
    package static func join(
        scheme: String,
        host: String,
        port: Int32,
        path: String,
        query: String
    ) -> String {
        // g_uri_join never fails, and adds the brackets of an IPv6 address.
        let text = g_uri_join(flags, scheme, nil, host, port, path, query, nil)
        defer { g_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }

    /// Encodes a text for use within a path or a query (RFC 3986 §2.1).
    package static func escape(_ text: String) -> String {
        let escaped = g_uri_escape_string(text, nil, 0)
        defer { g_free(escaped) }
        return escaped.map { String(cString: $0) } ?? ""
    }
}
