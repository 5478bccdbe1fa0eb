/// The parts of an HTTP request target: the path as it was sent, and the query, percent-decoded.
package struct RequestTarget: Hashable, Sendable {
    package let path: String
    /// The parameters of the query; if a name is repeated, its last value is used.
    package let query: [String: String]

    package init(_ uri: String) {
        let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = Self.path(of: uri)
        var query: [String: String] = [:]
        for item in parts.dropFirst().joined().split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[Self.decoded(pair[0])] = pair.count > 1 ? Self.decoded(pair[1]) : ""
        }
        self.query = query
    }

    /// The path of a target, as it was sent.
    package static func path(of uri: String) -> String {
        String(uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }) ?? uri
    }

    /// The percent-decoded path (RFC 3986 §2.1); malformed escape sequences are left unchanged.
    package var decodedPath: String { Self.decoded(path[...], plus: "+") }

    /// Decodes percent-encoded text; `+` is replaced by `plus`, by default a space as in HTML forms (RFC
    /// 1866).
    private static func decoded(_ text: Substring, plus: Unicode.Scalar = " ") -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: plus))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                if digits.count == 2 {
                    bytes.append(UInt8(digits[0] << 4 | digits[1]))
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
