extension StringProtocol {
    /// Whether the text is a token of HTTP (RFC 9110 §5.6.2), such as a method or the name of a header field.
    package var isHTTPToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
