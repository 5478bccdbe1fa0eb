package import NIOCore

extension SocketAddress {
    /// The bytes of the IP address: four for IPv4, sixteen for IPv6, none for a Unix domain socket.
    ///
    /// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is reduced to the four bytes of the IPv4 address.
    package var ipBytes: [UInt8] {
        let bytes = withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)) }
        // In `sockaddr_in`, the address follows the family and the port; in `sockaddr_in6`, also the flow
        // label.
        switch self {
        case .v4: return Array(bytes[4..<8])
        case .v6:
            let address = Array(bytes[8..<24])
            let isMapped = address.starts(with: Self.mappedPrefix)
            return isMapped ? Array(address.suffix(4)) : address
        case .unixDomainSocket: return []
        }
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
