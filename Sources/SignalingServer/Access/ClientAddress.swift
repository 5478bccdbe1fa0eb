internal import NIOCore

/// Where a client comes from, as far as limits tell clients apart.
///
/// An IPv4 address, or the 64 bits of an IPv6 address that name a network: its owner has all below them.
struct ClientAddress: Hashable {
    let isLoopback: Bool
    private let isIPv4: Bool
    private let prefix: UInt64

    /// Nil for what is no internet address.
    init?(_ address: SocketAddress?) {
        guard let bytes = address?.ipBytes, !bytes.isEmpty else { return nil }
        isIPv4 = bytes.count == 4
        prefix = Self.number(bytes.prefix(8))
        isLoopback = isIPv4 ? bytes[0] == 127 : prefix == 0 && Self.number(bytes.suffix(8)) == 1
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
