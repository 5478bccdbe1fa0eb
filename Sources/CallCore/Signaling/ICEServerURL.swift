/// A parsed URL of a STUN or TURN server (RFC 7064, RFC 7065).
package struct ICEServerURL: Hashable, Sendable {
    package enum Scheme: String, Sendable { case stun, turn, turns }

    /// The transport of the messages to the server.
    package enum Transport: String, Sendable { case udp, tcp, tls }

    package let scheme: Scheme
    /// The host name or IP address; an IPv6 address has no brackets.
    package let host: String
    /// The port, from 1 to 65535; the default is 3478, or 5349 for `turns:`.
    package let port: Int
    package let transport: Transport

    /// The maximum length in bytes, well above that of any real URL.
    private static let longest = 300

    /// Parses a URL of the form `SCHEME:HOST[:PORT][?transport=udp|tcp]`.
    ///
    /// The scheme is `stun`, `turn` or `turns`; `stun` allows no transport. `//` before the host is ignored.
    /// The result is nil for everything else, including `turns:` over UDP (DTLS).
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest, let colon = text.firstIndex(of: ":"),
            let scheme = Scheme(rawValue: text[..<colon].lowercased())
        else { return nil }
        var rest = text[text.index(after: colon)...]
        if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count == 2 ? parts[1].lowercased() : nil
        switch (scheme, query) {
        case (.stun, nil), (.turn, nil), (.turn, "transport=udp"): transport = .udp
        case (.turn, "transport=tcp"): transport = .tcp
        case (.turns, nil), (.turns, "transport=tcp"): transport = .tls
        default: return nil
        }
        guard let (host, port) = Self.hostAndPort(parts[0]) else { return nil }
        self.scheme = scheme
        self.host = String(host)
        self.port = port ?? (scheme == .turns ? 5349 : 3478)
    }

    private static func hostAndPort(_ text: Substring) -> (Substring, Int?)? {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            (host, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
            guard host.contains(":"), host.unicodeScalars.allSatisfy(isOfIPv6) else { return nil }
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            (host, rest) = (text[..<end], text[end...])
            guard !host.isEmpty, host.unicodeScalars.allSatisfy(isOfName) else { return nil }
        }
        guard !rest.isEmpty else { return (host, nil) }
        guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
        return (host, Int(port))
    }

    private static func isOfIPv6(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."f", "A"..."F", "0"..."9", ":", ".": true
        default: false
        }
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: false
        }
    }

    /// The host and port as in a URL, with brackets around an IPv6 address.
    package var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

extension ICEServerURL: CustomStringConvertible {
    /// The URL with its port, and with `?transport=tcp` if the scheme does not imply it.
    package var description: String {
        "\(scheme.rawValue):\(authority)" + (transport == .tcp ? "?transport=tcp" : "")
    }
}
