internal import Glibc

/// The addresses that this machine has.
package enum LocalAddresses {
    /// The IPv4 and IPv6 addresses of the interfaces that are up, in text, without scope; nil where the
    /// system does not tell.
    package static func current() -> Set<String>? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        let interfaces = sequence(state: list) { next in
            defer { next = next?.pointee.ifa_next }
            return next?.pointee
        }
        return Set(
            interfaces.lazy.filter { $0.ifa_flags & UInt32(IFF_UP) != 0 }
                .compactMap { $0.ifa_addr.flatMap(text) }
        )
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                text($0.pointee.sin_addr, AF_INET)
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                text($0.pointee.sin6_addr, AF_INET6)
            }
        default: nil
        }
    }

    private static func text(_ address: some Sendable, _ family: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            withUnsafeBytes(of: address) {
                inet_ntop(family, $0.baseAddress, buffer.baseAddress, socklen_t(buffer.count))
                    .map { String(cString: $0) }
            }
        }
    }
}
