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
        guard let address else { return nil }
        let bytes = address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)) }
        // Behind the family and the port, in `sockaddr_in6` the flow label too.
        switch address {
        case .v4: self.init(ipv4: Self.number(bytes[4..<8]))
        case .v6: self.init(network: Self.number(bytes[8..<16]), interface: Self.number(bytes[16..<24]))
        case .unixDomainSocket: return nil
        }
    }

    private init(ipv4 address: UInt64) {
        self.init(isLoopback: address >> 24 == 127, isIPv4: true, prefix: address)
    }

    private init(network: UInt64, interface: UInt64) {
        if network == 0, interface >> 32 == 0xFFFF {
            self.init(ipv4: interface & 0xFFFF_FFFF)
        } else {
            self.init(isLoopback: network == 0 && interface == 1, isIPv4: false, prefix: network)
        }
    }

    private init(isLoopback: Bool, isIPv4: Bool, prefix: UInt64) {
        self.isLoopback = isLoopback
        self.isIPv4 = isIPv4
        self.prefix = prefix
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
