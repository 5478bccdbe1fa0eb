internal import Glibc
package import NIOHTTP1

/// The host and port of a `Host` header or an origin (RFC 3986 §3.2), in normalized form.
///
/// Names are in lower case, without the final dot of an absolute name. An IPv6 address is in brackets, in the
/// form of RFC 5952, without its zone. User names, percent-encoded and non-ASCII names are refused.
package struct RequestHost: Hashable, Sendable {
    package let name: String
    /// The port; nil if none is given.
    package let port: Int?

    private static let maximumLength = 255
    private static let colon = UInt8(ascii: ":")

    /// Parses a host; nil if the text is not one.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength + 6 else { return nil }
        let end: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                let address = Self.canonicalIPv6(bytes[1..<bracket])
            else { return nil }
            (name, end) = ("[\(address)]", bracket + 1)
        } else {
            end = bytes.firstIndex(of: Self.colon) ?? bytes.count
            guard let host = Self.registeredName(bytes[..<end]) else { return nil }
            name = host
        }
        let rest = bytes[end...]
        guard rest.first ?? Self.colon == Self.colon else { return nil }
        // A colon without a port after it stands for the default port (RFC 3986 §3.2.3).
        port = rest.count > 1 ? Self.port(rest.dropFirst()) : nil
        guard port != nil || rest.count <= 1 else { return nil }
    }

    private init(name: String, port: Int?) { (self.name, self.port) = (name, port) }

    /// Parses a host to listen on, without a port and, for IPv6, without brackets; nil if the text is
    /// invalid.
    package init?(listeningOn text: String) {
        guard let host = RequestHost(text.contains(":") ? "[\(text)]" : text) else { return nil }
        self = host.withoutPort
    }

    /// The same host without a port.
    package var withoutPort: RequestHost { RequestHost(name: name, port: nil) }

    /// Whether the name always refers to the local computer.
    ///
    /// Such names are `localhost` and names below it (RFC 6761 §6.3), 127.0.0.0/8 and `[::1]`.
    package var isLoopback: Bool {
        if name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" { return true }
        return name.hasPrefix("127.") && isAddress
    }

    /// Whether the name is an IP address, which DNS cannot resolve to another one.
    package var isAddress: Bool {
        var address: [UInt8] = [0, 0, 0, 0]
        return name.hasPrefix("[") || inet_pton(AF_INET, name, &address) == 1
    }

    private static func port(_ digits: ArraySlice<UInt8>) -> Int? {
        let areDigits = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard areDigits, digits.count <= 5 else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 <= UInt16.max ? $0 : nil }
    }

    private static func registeredName(_ bytes: ArraySlice<UInt8>) -> String? {
        let labels = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        let isDotted = labels.first == UInt8(ascii: ".")
        guard (1...maximumLength).contains(labels.count), !isDotted else { return nil }
        var previous: UInt8 = 0
        for byte in labels {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: ".") where previous != UInt8(ascii: "."): break
            default: return nil
            }
            previous = byte
        }
        guard previous != UInt8(ascii: ".") else { return nil }
        return String(decoding: labels, as: UTF8.self).lowercased()
    }

    private static func canonicalIPv6(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
        var address = [UInt8](repeating: 0, count: 16)
        guard !text.utf8.contains(0), inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// An error for a `Host` header that is missing, repeated, malformed, or different from the URL's (RFC 9112
/// §3.2).
package struct HostError: Error {}

extension RequestHost {
    /// Reads the host that a request names; nil if it names none, as HTTP/1.0 allows.
    ///
    /// - Throws: `HostError`.
    package static func named(in head: HTTPRequestHead) throws(HostError) -> RequestHost? {
        let values = head.headers["host"]
        guard let value = values.first else {
            guard head.version == .http1_0 else { throw HostError() }
            return nil
        }
        guard values.count == 1, let host = RequestHost(value) else { throw HostError() }
        if let target = absoluteHost(of: head.uri), target != host { throw HostError() }
        return host
    }

    /// Reads the host of a request target in absolute form (RFC 9112 §3.2.2); nil for other targets.
    ///
    /// The inner optional is nil if the host is malformed.
    private static func absoluteHost(of uri: String) -> RequestHost?? {
        guard uri.first != "/", let separator = uri.firstRange(of: "://") else { return nil }
        return .some(RequestHost(uri[separator.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }))
    }
}
