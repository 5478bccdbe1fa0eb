internal import Glibc

/// The addresses of this host's interfaces.
enum HostAddresses {
    /// Whether any interface but loopback is up with an address that ICE can use.
    static var reachBeyondLoopback: Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0, let list else { return true }
        defer { freeifaddrs(list) }
        let entries = sequence(first: list) { $0.pointee.ifa_next }
        return entries.contains { pointer in
            let entry = pointer.pointee
            guard let address = entry.ifa_addr else { return false }
            let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
            let isLoopback = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
            return isUp && !isLoopback && isUsable(address)
        }
    }

    /// An IPv4 or IPv6 address that is not link-local, as `CandidateFilter` wants it.
    private static func isUsable(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { !($0[0] == 169 && $0[1] == 254) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { !($0[0] == 0xFE && $0[1] & 0xC0 == 0x80) }
            }
        default: false
        }
    }
}
