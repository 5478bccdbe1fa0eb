/// A web origin (RFC 6454) in normalized form: a scheme, a host and a port.
///
/// The schemes `ws` and `wss` are replaced by `http` and `https`, since some clients that are not browsers
/// send the URL to which they connect. The default port is explicit. `null` is not an origin.
package struct WebOrigin: Hashable, Sendable {
    let scheme: String
    package let host: RequestHost
    /// The port; nil if none is given and the scheme has no default port.
    let port: Int?

    /// Parses an origin; nil if the text is not one, for example because of a path or a user name.
    package init?(_ text: some StringProtocol) {
        guard let separator = text.firstRange(of: "://"),
            let host = RequestHost(text[separator.upperBound...])
        else { return nil }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard Self.isScheme(scheme) else { return nil }
        self.scheme =
            switch scheme {
            case "ws": "http"
            case "wss": "https"
            default: scheme
            }
        self.host = host.withoutPort
        port = host.port ?? Self.defaultPort(of: self.scheme)
    }

    /// Determines whether a request to `host` from a page of this origin is a same-origin request.
    ///
    /// A `Host` without a port has the default port of the origin's scheme.
    package func isOwn(of host: RequestHost) -> Bool {
        guard let defaultPort = Self.defaultPort(of: scheme) else { return false }
        return self.host == host.withoutPort && port == host.port ?? defaultPort
    }

    private static func defaultPort(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}
