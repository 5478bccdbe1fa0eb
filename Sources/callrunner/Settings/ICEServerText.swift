internal import CallCore

/// Parsers for STUN and TURN servers on the command line (RFC 7064, RFC 7065).
enum ICEServerText {
    /// The STUN server that the value `default` selects; it is used only on request.
    static let publicSTUN = "stun:stun.l.google.com:19302"

    /// Parses `stun:HOST[:PORT]`, or `default`.
    ///
    /// - Throws: `SettingText.Problem`, whose text does not contain a secret.
    static func stun(_ text: String) throws -> ICEServer {
        guard !text.contains("@") else {
            throw SettingText.Problem("a STUN server has no user; give a TURN server with --turn")
        }
        let name = text == "default" ? publicSTUN : text
        guard ICEServerURL(name)?.scheme == .stun else {
            throw SettingText.Problem(
                "“\(text)” is not a STUN server; write stun:HOST, stun:HOST:PORT, or “default” for \(publicSTUN)"
            )
        }
        return ICEServer(urls: [withoutSlashes(name)])
    }

    /// Parses `turn:HOST[:PORT][?transport=udp|tcp]`, or `turns:`, for a TURN server with a shared secret.
    ///
    /// - Throws: `SettingText.Problem`, whose text contains neither user nor secret.
    static func sharedTURN(_ text: String) throws -> String {
        guard let url = ICEServerURL(text), url.scheme != .stun else {
            throw SettingText.Problem(
                "the value is not a TURN server; write turn:HOST or turn:HOST:PORT?transport=tcp, "
                    + "without user and secret"
            )
        }
        return withoutSlashes(text)
    }

    /// Parses `turn:USER:SECRET@HOST[:PORT][?transport=udp|tcp]`, or `turns:`; the last `@` ends the secret.
    ///
    /// User and secret may be percent-encoded (RFC 3986 §2.1).
    /// - Throws: `SettingText.Problem`, whose text does not contain the secret.
    static func turn(_ text: String) throws -> ICEServer {
        let plain = withoutSlashes(text)
        guard let start = plain.firstIndex(of: ":"), let at = plain.lastIndex(of: "@"), start < at else {
            throw malformedTURN
        }
        let user = plain[plain.index(after: start)..<at]
        let url = String(plain[...start] + plain[plain.index(after: at)...])
        guard let colon = user.firstIndex(of: ":"), colon > user.startIndex,
            let parsed = ICEServerURL(url), parsed.scheme != .stun
        else { throw malformedTURN }
        return ICEServer(
            urls: [url],
            username: try decoded(user[..<colon]),
            credential: try decoded(user[user.index(after: colon)...])
        )
    }

    private static let malformedTURN = SettingText.Problem(
        "the value is not a TURN server; write turn:USER:SECRET@HOST or turn:USER:SECRET@HOST:PORT?transport=tcp, "
            + "turns: for TLS"
    )

    /// Converts the scheme to lowercase and removes the `//` that some users write after it.
    private static func withoutSlashes(_ text: String) -> String {
        guard let colon = text.firstIndex(of: ":") else { return text }
        let rest = text[text.index(after: colon)...]
        return text[..<colon].lowercased() + ":" + (rest.hasPrefix("//") ? rest.dropFirst(2) : rest)
    }

    private static func decoded(_ text: Substring) throws -> String {
        let problem = SettingText.Problem(
            "the user or secret of the TURN server contains a % that does not begin a UTF-8 escape %XX; write % as %25"
        )
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let digits = String(digits), digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16), value != 0
            else { throw problem }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem }
        return text
    }
}
