internal import GLibKit

/// The IP addresses of this host's network interfaces.
enum HostAddresses {
    /// Whether any interface except loopback is up with an address that ICE can use; true if the system does
    /// not report any interfaces.
    static var reachBeyondLoopback: Bool {
        beyondLoopback.map { $0.contains { !CandidateFilter.isLinkLocal($0) } } ?? true
    }

    private static var beyondLoopback: Set<String>? {
        LocalAddresses.interfaces().map { Set($0.lazy.filter { !$0.isLoopback }.map(\.address)) }
    }

    /// Returns the addresses that `rule` allows, without loopback; nil if the system does not report any.
    static func beyondLoopback(under rule: LocalAddressRule) -> Set<String>? {
        guard let used = rule.addresses(among: LocalAddresses.interfaces()) else { return beyondLoopback }
        return beyondLoopback?.intersection(used)
    }
}
