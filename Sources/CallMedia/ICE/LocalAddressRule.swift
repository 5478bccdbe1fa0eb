internal import GLibKit

/// Which of this machine's addresses a call may use.
package struct LocalAddressRule: Hashable, Sendable {
    package enum Family: Hashable, Sendable { case ipv4, ipv6 }

    /// The name of an interface, or an address; nil leaves every one.
    package var interface: String?
    /// Nil for both.
    package var family: Family?

    package init(interface: String? = nil, family: Family? = nil) {
        (self.interface, self.family) = (interface, family)
    }

    /// The addresses to gather on; nil leaves the choice to libnice: all but loopback.
    ///
    /// Loopback is used where it is named, or the machine has nothing else.
    func addresses(among interfaces: [LocalAddresses.Interface]?) -> [String]? {
        guard let interfaces else { return nil }
        let usable = interfaces.filter { !CandidateFilter.isLinkLocal($0.address) }
        let reachesOut = usable.contains { !$0.isLoopback }
        if interface == nil, family == nil, reachesOut { return nil }
        return usable.filter { allows($0) && (interface != nil || !reachesOut || !$0.isLoopback) }.map(
            \.address
        )
    }

    /// Whether nothing but IPv6 addresses are used.
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

    /// What is missing where nothing is left.
    var problem: String {
        let kind = family.map { $0 == .ipv4 ? "IPv4 address" : "IPv6 address" } ?? "address"
        guard let interface else { return "this machine has no \(kind) to be reached at" }
        return "this machine has no \(kind) of “\(interface)” to be reached at"
    }
}
