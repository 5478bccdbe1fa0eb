package import NIOCore
package import NIOHTTP1

/// The reverse proxies whose `X-Forwarded-For` headers are trusted.
package struct TrustedProxies: Sendable {
    private var addresses: Set<[UInt8]> = []

    package init() {}

    package var isEmpty: Bool { addresses.isEmpty }

    /// Determines whether the text is an IP address.
    package static func isAddress(_ text: String) -> Bool {
        (try? SocketAddress(ipAddress: text, port: 0)) != nil
    }

    /// Adds the IP address of a trusted proxy; a text that is not an IP address is ignored.
    package mutating func trust(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return }
        addresses.insert(address.ipBytes)
    }

    package func contains(_ address: SocketAddress?) -> Bool {
        guard let address, !addresses.isEmpty else { return false }
        return addresses.contains(address.ipBytes)
    }

    /// Finds the client behind a trusted proxy: the last address in `X-Forwarded-For` that is not a trusted
    /// proxy's.
    ///
    /// A client may have forged the addresses before that one. If there is no such address, or an entry after
    /// it is malformed, the result is the address of a proxy.
    package func client(behind proxy: SocketAddress, _ headers: HTTPHeaders) -> SocketAddress {
        var client = proxy
        for field in headers["x-forwarded-for"].reversed() {
            for hop in field.split(separator: ",").reversed() {
                guard let address = Self.address(of: hop) else { return client }
                client = address
                if !contains(address) { return client }
            }
        }
        return client
    }

    /// Parses the address of a hop; nil if it is not an IP address.
    ///
    /// Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(of hop: Substring) -> SocketAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        let host =
            if text.first == "[" {
                text.dropFirst().prefix { $0 != "]" }
            } else if text.count(where: { $0 == ":" }) == 1 {
                text.prefix { $0 != ":" }
            } else {
                text
            }
        return try? SocketAddress(ipAddress: String(host), port: 0)
    }
}
