internal import CallCore

/// STUN and TURN servers as the command line names them (RFC 7064, RFC 7065).
enum ICEServerText {
    /// `stun:HOST[:PORT]`.
    ///
    /// - Throws: `SettingText.Problem`.
    static func stun(_ text: String) throws -> ICEServer {
        guard let (scheme, rest) = parts(text), scheme == "stun", isHost(rest) else {
            throw SettingText.Problem("“\(text)” is no STUN server; write stun:HOST or stun:HOST:PORT")
        }
        return ICEServer(urls: ["stun:\(rest)"])
    }

    /// `turn:HOST[:PORT][?transport=udp|tcp]`, or `turns:`: a server that shares a secret with ours.
    ///
    /// - Throws: `SettingText.Problem`, which does not tell a user or a secret.
    static func sharedTURN(_ text: String) throws -> String {
        let problem = SettingText.Problem(
            "that is no TURN server with a shared secret; write turn:HOST or turn:HOST:PORT?transport=tcp"
        )
        guard let (scheme, rest) = parts(text), scheme == "turn" || scheme == "turns",
            let address = address(rest)
        else { throw problem }
        return "\(scheme):\(address)"
    }

    /// `turn:USER:SECRET@HOST[:PORT][?transport=udp|tcp]`; the last `@` ends the secret.
    ///
    /// - Throws: `SettingText.Problem`, which does not tell the secret.
    static func turn(_ text: String) throws -> ICEServer {
        guard let (scheme, rest) = parts(text) else { throw malformedTURN }
        guard scheme != "turns" else {
            throw SettingText.Problem("TURN over TLS (turns:) is not supported; give a turn: server")
        }
        guard scheme == "turn", let at = rest.lastIndex(of: "@"),
            let colon = rest[..<at].firstIndex(of: ":")
        else { throw malformedTURN }
        guard let address = address(rest[rest.index(after: at)...]) else { throw malformedTURN }
        return ICEServer(
            urls: ["turn:\(address)"],
            username: String(rest[..<colon]),
            credential: String(rest[rest.index(after: colon)..<at])
        )
    }

    private static let malformedTURN = SettingText.Problem(
        "that is no TURN server; write turn:USER:SECRET@HOST or turn:USER:SECRET@HOST:PORT?transport=tcp"
    )

    /// `HOST[:PORT][?transport=udp|tcp]`, or nil.
    private static func address(_ text: Substring) -> Substring? {
        let parts = text.split(separator: "?", omittingEmptySubsequences: false)
        let transports = ["transport=udp", "transport=tcp"]
        guard let host = parts.first, isHost(host), parts.count <= 2,
            parts.count == 1 || transports.contains(String(parts[1]))
        else { return nil }
        return text
    }

    /// Scheme and rest; `//` between them is borne.
    private static func parts(_ text: String) -> (scheme: String, rest: Substring)? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = text[text.index(after: colon)...]
        return (text[..<colon].lowercased(), rest.hasPrefix("//") ? rest.dropFirst(2) : rest)
    }

    /// A name, an IPv4 address or a bracketed IPv6 one, with or without a port.
    private static func isHost(_ text: Substring) -> Bool {
        var (host, port) = (text, Substring())
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
            guard let number = Int(port), (1...65_535).contains(number) else { return false }
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return !host.isEmpty
            && host.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
                case ":", "[", "]", "%": isBracketed
                default: false
                }
            }
    }
}
