/// The address of a server to which a stream is published by RTMP, with the key of the stream.
package struct PublishAddress: Hashable, Sendable, CustomStringConvertible {
    package let isSecure: Bool
    /// A name or an address, IPv6 without brackets.
    package let host: String
    package let port: Int
    package let app: String
    /// The stream key, which must not be shown to anybody.
    package let key: String

    /// Parses `rtmp://HOST/APP/KEY` or `rtmps://…`; `key` replaces or completes the key in the text.
    ///
    /// - Throws: `LiveFailure`, whose text does not contain the key.
    package init(_ text: String, key: String? = nil) throws(LiveFailure) {
        guard let scheme = text.firstRange(of: "://"),
            let isSecure = ["rtmp": false, "rtmps": true][text[..<scheme.lowerBound].lowercased()]
        else { throw Self.invalid("it does not begin with rtmp:// or rtmps://") }
        let rest = text[scheme.upperBound...]
        let place = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(place.count + 1)
        guard !place.contains("@") else {
            throw Self.invalid(
                "it contains a user name, which has no effect; only the key of the stream counts"
            )
        }
        let app = path.prefix { $0 != "/" }
        let key = key ?? String(path.dropFirst(app.count + 1))
        guard !app.isEmpty, !key.isEmpty else {
            throw Self.invalid("it lacks the app or the key of the stream")
        }
        guard !text.contains(where: \.isWhitespace), !key.contains(where: \.isWhitespace) else {
            throw Self.invalid("it contains spaces")
        }
        guard let (host, port) = Self.place(place, usual: isSecure ? 443 : 1935) else {
            throw Self.invalid("its host or port is invalid")
        }
        (self.isSecure, self.host, self.port) = (isSecure, host, port)
        (self.app, self.key) = (String(app), key)
    }

    private static func place(_ text: Substring, usual: Int) -> (host: String, port: Int)? {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let after = text[text.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            if !after.isEmpty { port = after.dropFirst() }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        let number = port.map { Int($0) ?? 0 } ?? usual
        return host.isEmpty || !(1...65_535).contains(number) ? nil : (String(host), number)
    }

    private static func invalid(_ reason: String) -> LiveFailure {
        LiveFailure(.invalid, "the address of the server cannot be used: \(reason)")
    }

    /// The URL up to the app, without the key.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "rtmps" : "rtmp")://\(name):\(port)/\(app)"
    }
}
