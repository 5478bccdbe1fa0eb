internal import Basics

/// The parts of an HTTP request target: the path as it was sent, and the query, percent-decoded.
package struct RequestTarget: Hashable, Sendable {
    package let path: String
    /// The parameters of the query; if a name is repeated, its last value is used.
    package let query: [String: String]

    package init(_ uri: String) {
        path = Self.path(of: uri)
        var query: [String: String] = [:]
        let rest = uri.utf8.dropFirst(path.utf8.count)
        if rest.first == UInt8(ascii: "?") {
            let text = rest.dropFirst().prefix { $0 != UInt8(ascii: "#") }
            for item in text.split(separator: UInt8(ascii: "&")) {
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                query[Self.decoded(name)] = Self.decoded(item[name.endIndex...].dropFirst())
            }
        }
        self.query = query
    }

    /// The path of a target, as it was sent.
    package static func path(of uri: String) -> String {
        String(uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }) ?? uri
    }

    /// The percent-decoded path (RFC 3986 §2.1); malformed escape sequences are left unchanged.
    package var decodedPath: String { Self.decodedPath(of: path) }

    package static func decodedPath(of uri: String) -> String { decoded(path(of: uri).utf8[...], plus: "+") }

    /// Decodes percent-encoded text; `+` is replaced by `plus`, by default a space as in HTML forms (RFC
    /// 1866).
    private static func decoded(_ text: Substring.UTF8View, plus: Unicode.Scalar = " ") -> String {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(Substring(text))
        }
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: plus))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                if let high = digits.first?.hexadecimalDigit,
                    let low = digits.dropFirst().first?.hexadecimalDigit
                {
                    bytes.append(high << 4 | low)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self).streamSafe
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII; nil for another character.
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
