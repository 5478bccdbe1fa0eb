internal import NIOCore

extension SocketAddress {
    /// The IP address: four bytes, of an IPv4 address that is mapped into IPv6 too (RFC 4291 §2.5.5.2), or
    /// sixteen; none of a Unix domain socket.
    var ipBytes: [UInt8] {
        let bytes = withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)) }
        // Behind the family and the port, in `sockaddr_in6` the flow label too.
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
