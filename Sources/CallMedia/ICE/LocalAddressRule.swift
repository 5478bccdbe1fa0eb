internal import GLibKit

/// The addresses of this machine that a call may use.
package struct LocalAddressRule: Hashable, Sendable {
    package enum Family: Hashable, Sendable { case ipv4, ipv6 }

    /// The name of an interface, or an address; nil allows all.
    package var interface: String?
    /// The address family; nil allows both.
    package var family: Family?

    package init(interface: String? = nil, family: Family? = nil) {
        (self.interface, self.family) = (interface, family)
    }

    /// Returns the addresses to gather on; nil leaves the choice to libnice, which takes all but loopback.
    ///
    /// Loopback is used if it is named or if the machine has no other address.
    ///
    /// - Parameter interfaces: this machine's interfaces; nil if they are unknown.
    /// - Returns: the addresses that are allowed.
    func addresses(among interfaces: [LocalAddresses.Interface]?) -> [String]? {
        guard let interfaces else { return nil }
        let usable = interfaces.filter { !CandidateFilter.isLinkLocal($0.address) }
        let reachesOut = usable.contains { !$0.isLoopback }
        if interface == nil, family == nil, reachesOut { return nil }
        return usable.filter { allows($0) && (interface != nil || !reachesOut || !$0.isLoopback) }.map(
            \.address
        )
    }

    /// Returns whether only IPv6 addresses are used.
    func isIPv6Only(among interfaces: [LocalAddresses.Interface]?) -> Bool {
        let used = addresses(among: interfaces) ?? interfaces?.filter { !$0.isLoopback }.map(\.address) ?? []
        return !used.isEmpty && used.allSatisfy { $0.contains(":") }
    }

    private func allows(_ entry: LocalAddresses.Interface) -> Bool {
        let isIPv6 = entry.address.contains(":")
        if let family, (family == .ipv6) != isIPv6 { return false }
        guard let interface else { return true }
        return interface == entry.name || interface.lowercased() == entry.address
    }

    /// The message about the missing address if the rule allows none.
    var problem: String {
        let kind = family.map { $0 == .ipv4 ? "IPv4 address" : "IPv6 address" } ?? "address"
        guard let interface else { return "this machine has no \(kind) that a peer could reach" }
        return "this machine has no \(kind) on interface “\(interface)”"
    }
}
