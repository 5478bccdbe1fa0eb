internal import GLibKit

/// A rule that restricts the local addresses used by a call.
package struct LocalAddressRule: Hashable, Sendable {
    package enum Family: Hashable, Sendable { case ipv4, ipv6 }

    /// The name of the only interface, or the only local address, to use; nil allows all.
    package var interface: String?
    /// The address family; nil allows both.
    package var family: Family?

    package init(interface: String? = nil, family: Family? = nil) {
        (self.interface, self.family) = (interface, family)
    }

    /// The prefixes of interfaces that libnice ignores unless their addresses are named, as Debian builds it.
    private static let ignoredPrefixes = ["docker", "veth", "virbr", "vnet"]

    /// Returns the addresses to gather candidates on; nil leaves the choice to libnice, which uses all
    /// addresses except loopback and those of virtual interfaces.
    ///
    /// Loopback addresses are returned only if `interface` names them or libnice would use no other address.
    ///
    /// - Parameter interfaces: the interfaces of this host; nil if they are unknown.
    /// - Returns: The addresses; nil if any may be used.
    func addresses(among interfaces: [LocalAddresses.Interface]?) -> [String]? {
        guard let interfaces else { return nil }
        let usable = interfaces.filter { !CandidateFilter.isLinkLocal($0.address) }
        let reachesOut = usable.contains { entry in
            !entry.isLoopback && !Self.ignoredPrefixes.contains { entry.name.hasPrefix($0) }
        }
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

    /// The error message for the case that this host has no address that the rule allows.
    var problem: String {
        let kind = family.map { $0 == .ipv4 ? "IPv4 address" : "IPv6 address" } ?? "address"
        guard let interface else { return "this machine has no \(kind) that a peer could reach" }
        return "this machine has no \(kind) that matches --interface \(interface)"
    }
}
