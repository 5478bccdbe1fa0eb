package import NIOCore

/// The part of a client's IP address that identifies the client for rate limits.
///
/// This is a whole IPv4 address, or the 64-bit prefix of an IPv6 address, because one client can use all
/// addresses with the same prefix.
package struct ClientAddress: Hashable, Sendable {
    package let isLoopback: Bool
    private let isIPv4: Bool
    private let prefix: UInt64

    /// The network with the 48-bit prefix of an IPv6 address, which may belong to a single client; nil for IPv4 and
    /// loopback.
    package var network: ClientAddress? { isIPv4 || isLoopback ? nil : ClientAddress(prefix & ~0xFFFF) }

    private init(_ prefix: UInt64) { (isLoopback, isIPv4, self.prefix) = (false, false, prefix) }

    /// Creates the client address; nil if the address is not an IP address.
    package init?(_ address: SocketAddress?) {
        guard let bytes = address?.ipBytes, !bytes.isEmpty else { return nil }
        isIPv4 = bytes.count == 4
        prefix = Self.number(bytes.prefix(8))
        isLoopback = isIPv4 ? bytes[0] == 127 : prefix == 0 && Self.number(bytes.suffix(8)) == 1
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
