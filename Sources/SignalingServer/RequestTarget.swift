/// The path and the query of an HTTP request's target, percent-decoded.
struct RequestTarget: Hashable, Sendable {
    let path: String
    /// Of a name that comes twice the last value counts.
    let query: [String: String]

    init(_ uri: String) {
        let parts = uri.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        var query: [String: String] = [:]
        for item in parts.dropFirst().joined().split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[Self.decoded(pair[0])] = pair.count > 1 ? Self.decoded(pair[1]) : ""
        }
        self.query = query
    }

    /// Forms of RFC 1866: `+` is a space; what is no escape sequence stands for itself.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
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
