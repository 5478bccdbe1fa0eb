internal import Glibc

/// The network addresses of this host.
package enum LocalAddresses {
    /// One address of a network interface that is up.
    package struct Interface: Hashable, Sendable {
        /// The name of the interface, such as `eth0`.
        package let name: String
        /// The IPv4 or IPv6 address in text form, without the scope ID.
        package let address: String
        package let isLoopback: Bool

        package init(name: String, address: String, isLoopback: Bool) {
            (self.name, self.address, self.isLoopback) = (name, address, isLoopback)
        }
    }

    /// Lists the addresses of all interfaces that are up; nil if the system does not report them.
    package static func interfaces() -> [Interface]? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0, let list else { return nil }
        defer { freeifaddrs(list) }
        return sequence(first: list) { $0.pointee.ifa_next }.compactMap { entry in
            let flags = entry.pointee.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, let address = entry.pointee.ifa_addr.flatMap(text) else {
                return nil
            }
            return Interface(
                name: String(cString: entry.pointee.ifa_name),
                address: address,
                isLoopback: flags & UInt32(IFF_LOOPBACK) != 0
            )
        }
    }

    /// Collects the addresses of `interfaces()`; nil if the system does not report them.
    package static func current() -> Set<String>? { interfaces().map { Set($0.map(\.address)) } }

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
