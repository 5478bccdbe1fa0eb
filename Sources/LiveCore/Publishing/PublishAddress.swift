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

    /// The URL up to the app, without the key and without a query, which may contain secrets.
    package var description: String {
        "\(server)/\(app.prefix { $0 != "?" })"
    }

    /// The URL up to the app, as the server gets it.
    package var appURL: String { "\(server)/\(app)" }

    private var server: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "rtmps" : "rtmp")://\(name):\(port)"
    }

    /// Replaces the key, its parts and the query of the app in a text of the server, also where they are not
    /// percent-encoded there.
    package func hidingSecrets(in text: String) -> String {
        let query = app.drop { $0 != "?" }.dropFirst()
        let wholes = [Substring(key), query]
        let parts = (wholes + wholes.flatMap { $0.split { "?&=/".contains($0) } }).map { String($0) }
        // A shorter text is no secret, but part of ordinary words.
        let secrets = Set(parts + parts.map(Self.decoded)).filter { $0.count >= 6 || $0 == key }
        // The words in the place of a secret may contain another one.
        let mark = "\0"
        let marked = secrets.sorted { $0.count > $1.count }.reduce(text) { text, secret in
            text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: mark)
        }
        return marked.split(separator: mark, omittingEmptySubsequences: false).joined(separator: "(key)")
    }

    /// Decodes percent-encoded bytes (RFC 3986 §2.1); others stay.
    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.count == 2, let decoded = UInt8(digits, radix: 16) {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
